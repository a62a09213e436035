from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer "
    "10.2.0.5<33092> with status=10 opcode=0 len=0 vendor err 129 (Recv) localGid ::ffff:10.1.0.4 "
    "remoteGids::ffff:10.1.0.5 hca mlx5_2\n"
)

FINE = (
    "node07:4711:4712 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer "
    "10.2.0.5<33092> with status=12 opcode=0 len=0 vendor err 129 (Recv) localGid ::ffff:10.1.0.4 "
    "remoteGids::ffff:10.1.0.5 hca mlx5_2\n"
)


def test_names_the_side_that_refused() -> None:
    assert said("rdma-protection-error", FAILED) == snapshot(
        [
            (
                "rdma-protection-error",
                "critical",
                "likely",
                "node07: the remote HCA refused access to its memory (status 10) on mlx5_2 with 10.2.0.5",
            )
        ]
    )


def test_silent_on_a_path_that_is_gone() -> None:
    assert findings_of("rdma-protection-error", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("rdma-protection-error", FAILED) == snapshot(
        [
            [
                ("See whether it works without GPUDirect RDMA.", "export NCCL_NET_GDR_LEVEL=LOC"),
                ("Look for ACS on the bridges.", "lspci -vvv | grep -i acsctl"),
                ("Name the HCAs of the compute fabric alone.", "export NCCL_IB_HCA='=HCA,HCA'"),
            ]
        ]
    )
