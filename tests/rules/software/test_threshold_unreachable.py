"""A threshold at which sound nodes fail, too."""

from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check

TABLE = """NCCL_TESTS_MIN_BW={asked} mpirun -np 32 -N 8 -H n1,n2,n3,n4 ./all_reduce_perf -b 1G -e 16G -f 4
# n1 to n4: 8x NVIDIA H100 80GB HBM3 and 8x ConnectX-7 400G each
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
  1073741824     268435456     float     sum      -1  5863.88  183.11  354.78      0  5859.92  183.23  355.02      0
 17179869184    4294967296     float     sum      -1  86541.3  198.52  384.63      0  85502.8  200.93  389.30      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 370.9 {failed}
"""
LINK = """$ ib_write_bw -d mlx5_0 -F --report_gbits --limit_bw={asked} n2
                    RDMA_Write BW Test
 Dual-port       : OFF		Device         : mlx5_0
 Link type       : IB
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 1048576    20000            394.41             394.39 		   0.047015
Error: BW result is below bw limit
$ ibstat mlx5_0 | grep Rate
		Rate: 400
"""


def said(text: str) -> list[str]:
    return [f.message for f in check("threshold-unreachable", text, system="hgx_h100", nics="8x400").findings]


def test_a_gate_that_sound_nodes_cannot_pass() -> None:
    assert said(TABLE.format(asked=450, failed="FAILED")) == snapshot(
        [
            "450 GB/s were asked for: such nodes reach 368.9 at the largest size, and these reached 389.3 (370.9 GB/s on average over all sizes, which is what is compared)"
        ]
    )


def test_a_gate_that_was_passed_or_not_told() -> None:
    assert said(TABLE.format(asked=350, failed="OK")) == []
    assert said(TABLE.format(asked="x", failed="FAILED")) == []


def test_slow_nodes_failed_it_rightly() -> None:
    slow = TABLE.format(asked=300, failed="FAILED").replace("389.30", "101.30").replace("384.63", "101.63")
    assert said(slow.replace("355.02", "99.02").replace("354.78", "99.78")) == []


def test_a_limit_above_what_goes_through_a_port() -> None:
    assert said(LINK.format(asked=400)) == snapshot(
        ["400 Gb/s were asked for of a port of 400: sound ones carry 392, and this one 394.4"]
    )


def test_a_limit_below_it() -> None:
    assert said(LINK.format(asked=390)) == []


SOUND = TABLE.partition("\n")[2].format(failed="OK")
PORT = LINK.partition("\n")[2].replace("Error: BW result is below bw limit\n", "")


def test_what_somebody_expects_in_words_of_sound_nodes() -> None:
    asked = "We want to reach at least 450 GB/s with all_reduce on these nodes\n"
    (found,) = check("threshold-unreachable", asked + SOUND, system="hgx_h100", nics="8x400").findings
    assert (found.cause, found.severity, found.message) == snapshot(
        (
            "expectation-unreachable",
            "info",
            "450 GB/s were expected of all_reduce: such nodes carry 392.4 at most, and usually 368.9; 389.3 is sound",
        )
    )
    assert said(asked.replace("450", "380") + SOUND) == []
    slow = SOUND.replace("389.30", "101.30").replace("384.63", "101.63").replace("355.02", "99.02")
    assert said(asked + slow.replace("354.78", "99.78")) == []


def test_what_somebody_expects_of_a_sound_port() -> None:
    assert said("On this port I get 394 Gb/s and not 400, is the cable bad?\n" + PORT) == snapshot(
        ["400 Gb/s were expected of a port of 400: sound ones carry 392, and this one 394.4"]
    )
    assert said("We expected only 300 Gb/s of it with this cable, nice\n" + PORT) == []
    assert said("We expected 50 GB/s of it with this new cable\n" + PORT) == snapshot(
        ["400 Gb/s were expected of a port of 400: sound ones carry 392, and this one 394.4"]
    )
