from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import proofs_of
from text_findings import findings_of, remedies_of, said

RULE = "peer-memory-not-loaded"
OPEN = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.1  Release Build"
CLOSED = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.1  Wed Jan  1"
NEW, OLD = "/proc/sys/kernel/osrelease:6.8.0-31-generic", "/proc/sys/kernel/osrelease:5.4.0-150-generic"
STACK = ("/sys/module/nvidia/initstate:live", "/sys/module/mlx5_core/initstate:live")
MISSING = "ls: cannot access '/sys/module/nvidia_peermem': No such file or directory"
LOADED = "/sys/module/nvidia_peermem/initstate:live"


def node(name: str, *lines: str) -> str:
    return "".join((f"[root@{name} ~]# sh collect\n", *(f"{line}\n" for line in lines)))


def test_closed_driver_without_the_module() -> None:
    assert said(RULE, node("gpu01", *STACK, MISSING, CLOSED, NEW)) == snapshot(
        [
            (
                "peer-memory-missing",
                "error",
                "likely",
                "gpu01: nvidia_peermem is not loaded, and DMA-BUF cannot replace it: the HCA cannot read GPU memory",
            )
        ]
    )


def test_an_old_kernel_without_the_module() -> None:
    assert [entry[1:3] for entry in said(RULE, node("gpu01", *STACK, MISSING, OPEN, OLD))] == [("error", "likely")]


def test_dma_buf_serves() -> None:
    assert said(RULE, node("gpu01", *STACK, MISSING, OPEN, NEW)) == []


def test_the_driver_was_not_asked() -> None:
    assert said(RULE, node("gpu01", *STACK, MISSING)) == snapshot(
        [
            (
                "peer-memory-missing",
                "warning",
                "possible",
                "gpu01: nvidia_peermem is not loaded; GPUDirect RDMA then rests on DMA-BUF, which needs the open kernel modules of the GPU driver, and whether these are in use was not collected",
            )
        ]
    )


def test_one_node_among_others_that_have_it() -> None:
    others = "".join(node(f"gpu0{n}", *STACK, LOADED, OPEN, NEW) for n in (2, 3, 4))
    assert said(RULE, node("gpu01", *STACK, MISSING, OPEN, NEW) + others) == snapshot(
        [
            (
                "peer-memory-missing",
                "warning",
                "possible",
                "gpu01: nvidia_peermem is not loaded, although gpu[02-04] has it: here GPUDirect RDMA rests on DMA-BUF alone, which the driver offers and not every library uses",
            )
        ]
    )
    assert [entry[1] for entry in said(RULE, node("gpu01", *STACK, MISSING, CLOSED) + others)] == ["error"]


def test_a_node_without_hcas_needs_none() -> None:
    assert findings_of(RULE, node("gpu01", STACK[0], MISSING, CLOSED, NEW)) == ()


def test_proof() -> None:
    assert proofs_of(RULE, node("gpu01", *STACK, LOADED)) == snapshot([("a peer-memory module is loaded on gpu01", 0)])


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, node("gpu01", *STACK, MISSING, CLOSED, NEW)) == snapshot(
        [
            [
                ("Load it on every node, and at boot.", "modprobe nvidia_peermem"),
                (
                    "Or on all of them, with a record to go back by.",
                    "slowlink prepare --nodes gpu01 --only peermem --apply",
                ),
            ]
        ]
    )


def test_a_short_list_tells_what_is_not_loaded_by_the_users_of_the_driver() -> None:
    rows = "nvidia              11419648  520 nvidia_uvm,{}nvidia_modeset\n"
    loaded = "nvidia_peermem         16384  0\n" + rows.format("nvidia_peermem,")
    text = "".join(f"[root@gpu{number} ~]# lsmod | grep nvidia\n{loaded}" for number in (1, 2))
    text += f"[root@gpu3 ~]# lsmod | grep nvidia\n{rows.format('')}"
    assert said("peer-memory-not-loaded", text) == snapshot(
        [
            (
                "peer-memory-missing",
                "error",
                "likely",
                "gpu3: nvidia_peermem is not loaded, although gpu[1-2] has it: the HCA cannot read GPU memory",
            )
        ]
    )
