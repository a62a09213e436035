from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL WARN NET/IB : Attempted to connect incompatible devices: "
    "[0]mlx5_0:1/IB and [1]mlx5_4:1/RoCE. Try selecting NICs of only one link type using "
    "NCCL_IB_HCA\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL INFO NET/IB : Using [0]mlx5_1:1/IB [1]mlx5_10:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
    "node07:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x50 rank 0 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
    "node08:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x51 rank 1 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
)


def test_two_kinds_of_ports() -> None:
    assert said("hca-list-wrong", FAILED) == snapshot(
        [("hca-list-wrong", "critical", "certain", "node07: NCCL tried to connect an InfiniBand port with a RoCE port")]
    )


def test_silent_on_ports_of_one_kind() -> None:
    assert findings_of("hca-list-wrong", FINE) == ()


def test_one_roce_port_among_infiniband_is_a_possibility() -> None:
    text = (
        "node07:4711:4712 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [2]mlx5_2:1/RoCE "
        "[RO]; OOB eth0:10.0.0.1<0>\n"
    )
    assert said("hca-list-wrong", text) == snapshot(
        [("hca-list-wrong", "warning", "possible", "NCCL uses mlx5_2 (RoCE) beside 2 InfiniBand devices")]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("hca-list-wrong", FAILED) == snapshot(
        [
            [
                ("See which device belongs to which network.", "ibdev2netdev"),
                ("Name the devices of the compute fabric alone.", "export NCCL_IB_HCA='=HCA,HCA'"),
            ]
        ]
    )


def test_a_channel_over_the_odd_device_is_an_error() -> None:
    at = "node07:4711:4718 [7] NCCL INFO "
    using = at + "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [2]mlx5_2:1/RoCE [RO]; OOB eth0:10.0.0.1<0>\n"
    for number, expected in ((1, ("warning", "possible")), (2, ("error", "likely"))):
        channel = at + f"Channel 07/0 : 7[7] -> 15[7] [send] via NET/IB/{number}\n"
        ((_, *how, _),) = said("hca-list-wrong", using + channel)
        assert tuple(how) == expected
