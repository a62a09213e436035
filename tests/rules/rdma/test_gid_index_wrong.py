from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, on "
    "dev mlx5_0:1, curr state INIT, next state RTR, local GID index 3, local GID fe80::1, remote "
    "GID fe80::2\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, on "
    "dev mlx5_0:1, curr state INIT, next state RTR, local GID index 3, local GID ::ffff:10.1.0.4, "
    "remote GID ::ffff:10.2.0.5\n"
)


def test_a_link_local_gid() -> None:
    assert said("gid-index-wrong", FAILED) == snapshot(
        [
            (
                "gid-index-wrong",
                "critical",
                "likely",
                "node07: a link-local GID (fe80::) is in use, which reaches no other subnet",
            )
        ]
    )


def test_silent_on_two_rails() -> None:
    assert findings_of("gid-index-wrong", FINE) == ()


def test_an_index_that_is_refused() -> None:
    text = FAILED.replace("110 Connection timed out", "22 Invalid argument").replace("fe80::", "::ffff:10.1.0.")
    assert said("gid-index-wrong", text) == snapshot(
        [
            (
                "gid-index-wrong",
                "critical",
                "likely",
                "node07: a queue pair was refused as invalid: the GID index is empty or of another "
                "kind than the peer's",
            )
        ]
    )


RETRIED = (
    "node07:4711:4712 [0] NCCL WARN NET/IB : Got completion from peer 10.1.0.5<40123> with status=12 opcode=0 len=0 "
    "vendor err 129 (Send) localGid {local} remoteGidsfe80::e89:aa02:40:7 hca mlx5_0\n"
)


def test_a_time_out_between_link_local_gids_of_infiniband_is_no_wrong_index() -> None:
    devices = "node07:4711:4712 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.1.0.4<0>\n"
    text = RETRIED.format(local="fe80::e89:aa02:40:3")
    assert findings_of("gid-index-wrong", text) == ()
    assert findings_of("gid-index-wrong", devices + text) == ()
    assert findings_of("gid-index-wrong", devices.replace("1/IB", "1/RoCE") + text)


def test_a_time_out_of_a_gid_made_of_a_mac_address() -> None:
    (found,) = findings_of("gid-index-wrong", RETRIED.format(local="fe80::e89:aaff:fe40:3"))
    assert found.confidence == "likely"


def test_it_says_what_to_do() -> None:
    assert remedies_of("gid-index-wrong", FAILED) == snapshot(
        [
            [
                ("List the GIDs and take the RoCE v2 one with the interface's IPv4 address.", "show_gids"),
                ("Let NCCL choose it.", "unset NCCL_IB_GID_INDEX"),
            ]
        ]
    )


def test_an_unanswered_pair_on_one_subnet_is_a_guess_that_explains_the_failed_run_only() -> None:
    text = FAILED.replace("fe80::1", "::ffff:10.1.0.4").replace("fe80::2", "::ffff:10.1.0.5")
    assert said("gid-index-wrong", text) == snapshot(
        [
            (
                "gid-index-wrong",
                "critical",
                "possible",
                "node07: a queue pair got no answer from the other HCA: its GID may be the wrong one",
            )
        ]
    )
    (found,) = findings_of("gid-index-wrong", text)
    assert found.explains == ("nccl-error-unexplained", "rank-stuck", "rank-lost", "output-truncated")


def test_an_index_that_is_ipv4_here_and_ipv6_there() -> None:
    text = (
        "node07:4711:4719 [3] transport/net_ib.cc:2282 NCCL WARN NET/IB: Got completion from peer 10.2.0.15<46222> with "
        "status=12 opcode=0 len=0 vendor err 129 (Send) localGid ::ffff:10.5.16.3 remoteGidsfd00:50:16::5 hca mlx5_0\n"
    )
    assert said("gid-index-wrong", text) == snapshot(
        [
            (
                "gid-index-wrong",
                "critical",
                "likely",
                "node07: one end uses an IPv4 address and the other an IPv6 one: the GID index means another GID on each node",
            )
        ]
    )
    assert findings_of("gid-index-wrong", text.replace("fd00:50:16::5", "::ffff:10.5.16.5")) == ()
