from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import diagnoses_of, findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x50 rank 0 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
    "node08:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x51 rank 1 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
    "node07:4711:4713 [0] NCCL INFO NCCL_PROTO set by environment to LL\n"
    "node08:4711:4713 [0] NCCL INFO NCCL_PROTO set by environment to Simple\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x50 rank 0 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
    "node08:4711:4712 [0] NCCL INFO ncclCommInitRank comm 0x51 rank 1 nranks 2 cudaDev 0 nvmlDev 0 "
    "busId 1b000 commId 0xabc - Init COMPLETE\n"
    "node07:4711:4712 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth0\n"
    "node08:4711:4713 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth1\n"
)


def test_names_both_values() -> None:
    assert said("environment-differs", FAILED) == snapshot(
        [
            (
                "environment-differs",
                "error",
                "certain",
                "NCCL_PROTO differs between ranks: LL on node07, Simple on node08",
            )
        ]
    )


ANNOUNCED = "".join(line for line in FAILED.splitlines(keepends=True) if "set by" in line)


def test_two_hosts_where_nobody_kept_the_lines_of_communicators() -> None:
    assert said("environment-differs", ANNOUNCED) == snapshot(
        [
            (
                "environment-differs",
                "warning",
                "likely",
                "NCCL_PROTO differs between ranks: LL on node07, Simple on node08",
            )
        ]
    )
    assert findings_of("environment-differs", ANNOUNCED.replace("node08", "node07")) == (), "one run after another"


def test_silent_on_names_that_may_differ_by_node() -> None:
    assert findings_of("environment-differs", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("environment-differs", FAILED) == snapshot(
        [[("Set it once for all ranks.", "mpirun -x NCCL_PROTO=LL ...")]]
    )


CHOSEN = "node0{n}:4711:4712 [0] NCCL INFO Using network Socket\n"
SET = "node0{n}:4711:4713 [0] NCCL INFO NCCL_{name} set by environment to {value}\n"
CUT = (
    "node07:4711:4720 [0] transport/net_socket.cc:562 NCCL WARN NET/Socket : peer 10.1.1.3<52118> message truncated : "
    "receiving 1048576 bytes instead of 65536. If you believe your socket network is in healthy state, there may be a "
    "mismatch in collective sizes or environment settings (e.g. NCCL_PROTO, NCCL_ALGO) between ranks\n"
)


def announced(*hosts: int) -> str:
    return "".join(CHOSEN.format(n=n) for n in (6, 7, 8)) + "".join(
        SET.format(n=n, name="PROTO", value="Simple") for n in hosts
    )


def test_one_host_lacks_what_the_others_set_and_messages_do_not_fit() -> None:
    assert said("environment-differs", announced(6, 8) + CUT) == snapshot(
        [
            (
                "environment-differs",
                "error",
                "likely",
                "NCCL_PROTO differs between ranks: Simple on node06, and node07 does not have it",
            )
        ]
    )
    assert [each.cause for each in diagnoses_of(announced(6, 8) + CUT)] == ["environment-differs"]
    assert findings_of("environment-differs", announced(6, 8)) == (), "nothing shows that it matters"
    assert findings_of("environment-differs", announced(6, 7, 8) + CUT) == ()
    assert findings_of("environment-differs", announced(6) + CUT) == (), "most lack it: it is of one of them"


def test_lists_of_variables_of_several_hosts() -> None:
    lists = "gpu01 NCCL_DEBUG=INFO\ngpu01 NCCL_PROTO=LL\ngpu02 NCCL_DEBUG=INFO\ngpu02 NCCL_PROTO={}\n"
    assert said("environment-differs", lists.format("Simple")) == snapshot(
        [("environment-differs", "error", "likely", "NCCL_PROTO differs between ranks: LL on gpu01, Simple on gpu02")]
    )
    assert findings_of("environment-differs", lists.format("LL")) == ()
    one_line = "gpu01: NCCL_DEBUG=INFO NCCL_ALGO=Ring\ngpu02: NCCL_DEBUG=INFO NCCL_ALGO=Ring\ngpu03: NCCL_DEBUG=INFO\n"
    assert said("environment-differs", one_line) == snapshot(
        [
            (
                "environment-differs",
                "error",
                "likely",
                "NCCL_ALGO differs between ranks: Ring on gpu01, and gpu03 does not have it",
            )
        ]
    )
    two = "".join(one_line.splitlines(keepends=True)[1:])
    assert findings_of("environment-differs", two) == (), "one of them may be the launcher's"
