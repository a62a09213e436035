from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check
from port_texts import node
from text_findings import findings_of, remedies_of, said

RULE = "partition-mismatch"


def keys(number: int, *values: str) -> str:
    return node(number, *(f"/sys/class/infiniband/mlx5_0/ports/1/pkeys/{n}:{key}" for n, key in enumerate(values)))


def test_a_node_of_another_partition() -> None:
    assert said(RULE, keys(1, "0xffff"), keys(2, "0xffff"), keys(3, "0x8003")) == snapshot(
        [
            (
                "partition-mismatch",
                "critical",
                "likely",
                "gpu03: partition keys 0x8003 give no common partition with the other nodes",
            )
        ]
    )


def test_limited_members_cannot_talk_to_one_another() -> None:
    assert said(RULE, keys(1, "0x7fff"), keys(2, "0x7fff")) == snapshot(
        [
            (
                "partition-mismatch",
                "critical",
                "likely",
                "gpu[01-02]: partition keys 0x7fff give no common partition with the other nodes (limited members cannot talk to one another)",
            )
        ]
    )


def test_a_full_and_a_limited_member_can() -> None:
    done = check(RULE, keys(1, "0xffff", "0x8003"), keys(2, "0x7fff"))
    assert (done.findings, [proof.message for proof in done.proofs]) == snapshot(
        ((), ["2 nodes share partition 0xffff"])
    )


def test_one_node_alone_proves_nothing() -> None:
    done = check(RULE, keys(1, "0x7fff"))
    assert (done.findings, done.proofs) == ((), ())


def test_keys_of_ethernet_ports_are_left_out() -> None:
    nodes = [
        keys(n, key) + "/sys/class/infiniband/mlx5_9/ports/1/pkeys/0:0xffff\n"
        "/sys/class/infiniband/mlx5_9/ports/1/link_layer:Ethernet\n"
        for n, key in ((1, "0x8001"), (2, "0x8002"))
    ]
    assert [f.cause for f in findings_of(RULE, *nodes)] == ["partition-mismatch"]


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, keys(1, "0xffff"), keys(2, "0xffff"), keys(3, "0x8003")) == snapshot(
        [[("Compare the tables of two nodes.", "grep -H . /sys/class/infiniband/*/ports/1/pkeys/* | grep -v 0x0000")]]
    )


def test_a_node_outside_a_partition_of_all_others_is_a_possibility() -> None:
    """They reach one another in the default partition; the job may be sent to the other one."""
    nodes = [keys(1, "0xffff", "0x8012"), keys(2, "0xffff", "0x0012"), keys(3, "0xffff")]
    assert said(RULE, *nodes) == snapshot(
        [
            (
                "partition-mismatch",
                "warning",
                "possible",
                "gpu03: not in partition 0x8012, of which the 2 other nodes are members; they reach one another in another one",
            )
        ]
    )
    assert check(RULE, *nodes[1:]).findings == ()  # of two neither is the odd one
    assert check(RULE, *nodes, keys(4, "0xffff")).findings == ()
