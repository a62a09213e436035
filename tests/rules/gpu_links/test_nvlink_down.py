from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 74, pid=4711, name=train, NVLink: fatal error detected on link 6\n"

FINE = (
    "node07:4711:4712 [0] NCCL INFO P2P is disabled between connected GPUs 0 and 1. You can repress "
    "this message with NCCL_IGNORE_DISABLED_P2P=1.\n"
)


def test_names_the_gpu() -> None:
    assert said("nvlink-down", FAILED) == snapshot(
        [("nvlink-down", "error", "likely", "GPU 0000:3b:00.0: Xid 74 (NVLink error)")]
    )


def test_silent_on_pcie_gpus_without_peer_to_peer() -> None:
    assert findings_of("nvlink-down", FINE) == ()


def test_links_that_may_not_be_used() -> None:
    text = (
        "node07:4711:4712 [0] NCCL WARN P2P is disabled between NVLINK connected GPUs 0 and 1. This "
        "should not be the case "
        "given their connectivity, and is probably due to a hardware issue.\n"
    )
    assert said("nvlink-down", text) == snapshot(
        [
            (
                "nvlink-down",
                "error",
                "likely",
                "node07: GPUs joined by NVLink may not use peer-to-peer: the driver says it is disabled",
            )
        ]
    )


def test_units_of_newer_links() -> None:
    xid = "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 149, pid=4711, name=train, NETIR_{} Nonfatal XC0 i0 Link 06\n"
    assert said("nvlink-down", xid.format("LINK_DOWN")) == snapshot(
        [("nvlink-down", "error", "likely", "GPU 0000:3b:00.0: Xid 149 (NVLink NETIR error)")]
    )
    assert findings_of("nvlink-down", xid.format("BER_EVENT")) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("nvlink-down", FAILED) == snapshot(
        [
            [
                ("Read the state and the errors of the links.", "nvidia-smi nvlink --status; nvidia-smi nvlink -e"),
                (
                    "NVIDIA advises for Xid 74: reset both GPUs of the link; if it comes again, test the board and replace it.",
                    "nvidia-smi nvlink -e; dcgmi diag -r 3",
                ),
                ("Test the node with nothing else on it.", "dcgmi diag -r 3"),
            ]
        ]
    )
