from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = "node07:4711:4712 [0] NCCL WARN Call to ibv_reg_mr_iova2 failed with error Bad address\n"

FINE = "node07:4711:4712 [0] NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory\n"


def test_names_the_call() -> None:
    assert said("memory-registration-failed", FAILED) == snapshot(
        [
            (
                "memory-registration-failed",
                "critical",
                "certain",
                "node07: ibv_reg_mr_iova2 cannot register GPU memory: no peer-memory module or DMA-BUF serves it",
            )
        ]
    )


def test_leaves_want_of_memory_to_the_limit() -> None:
    assert findings_of("memory-registration-failed", FINE) == ()


def test_as_the_last_error_of_an_exception() -> None:
    text = (
        "torch.distributed.DistBackendError: NCCL error in: "
        "../torch/csrc/distributed/c10d/NCCLUtils.hpp:219, unhandled system "
        "error (run with NCCL_DEBUG=INFO for details), NCCL version 2.26.2\nncclSystemError: System "
        "call (e.g. socket, malloc) or "
        "external library call failed or device error.\nLast error:\nCall to ibv_reg_mr failed with error Bad address\n"
    )
    assert said("memory-registration-failed", text) == snapshot(
        [
            (
                "memory-registration-failed",
                "critical",
                "certain",
                "ibv_reg_mr cannot register GPU memory: no peer-memory module or DMA-BUF serves it",
            )
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("memory-registration-failed", FAILED) == snapshot(
        [
            [
                ("Load the peer-memory module.", "modprobe nvidia_peermem"),
                ("See whether only GPU memory is refused.", "export NCCL_NET_GDR_LEVEL=LOC"),
            ]
        ]
    )
