from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL INFO Bootstrap : Using docker0:172.17.0.1<0>\n"
    "node07:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x50 rank 0 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
    "node08:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x51 rank 1 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL INFO Bootstrap : Using docker0:172.17.0.1<0>\n"
    "node07:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x50 rank 0 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
    "node07:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x51 rank 1 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
)


def test_names_the_interface() -> None:
    assert said("socket-interface-wrong", FAILED) == snapshot(
        [
            (
                "socket-interface-wrong",
                "error",
                "likely",
                "node07: NCCL starts over docker0, which usually leads nowhere beyond the node",
            )
        ]
    )


def test_the_same_address_on_two_nodes_leads_to_neither() -> None:
    text = "".join(f"{host}:4711:4712 [0] NCCL INFO Bootstrap : Using docker0:172.17.0.1<0>\n" for host in ("a1", "b2"))
    assert said("socket-interface-wrong", text) == snapshot(
        [
            (
                "socket-interface-wrong",
                "error",
                "likely",
                "a1 and b2: NCCL starts over docker0: 172.17.0.1 is an address of each of them",
            )
        ]
    )


def test_silent_on_one_node() -> None:
    assert findings_of("socket-interface-wrong", FINE) == ()


def test_no_interface_at_all() -> None:
    text = "node07:4711:4712 [0] NCCL WARN Bootstrap : no socket interface found\n"
    assert said("socket-interface-wrong", text) == snapshot(
        [("socket-interface-wrong", "critical", "certain", "node07: NCCL finds no network interface for start-up")]
    )


def test_silent_on_an_ordinary_interface() -> None:
    assert findings_of("socket-interface-wrong", FAILED.replace("docker0", "bond0")) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("socket-interface-wrong", FAILED) == snapshot(
        [
            [
                ("List the interfaces of each node.", "ip -br addr"),
                ("Name the one that all nodes share.", "export NCCL_SOCKET_IFNAME='=INTERFACE'"),
            ]
        ]
    )
