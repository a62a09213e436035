"""Is a run of perftest between two ports, or of one with itself?"""

from __future__ import annotations

import pytest
from feeding import feed

from slowlink.parsers.benchmarks.perftest import PARSER

TABLE = """\
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 1048576    5000             390.10             390.00               0.046492
---------------------------------------------------------------------------------------
"""
TITLE = """\
                    RDMA_Write BW Test
 Dual-port       : OFF          Device         : mlx5_2
 Number of qps   : 1            Transport type : IB
"""


def address(side: str, lid: str, gid: str = "") -> str:
    line = f" {side} address: LID {lid} QPN 0x0131 PSN 0x4cb72a\n"
    return line + (f" GID: {gid}\n" if gid else "")


def loopbacks(text: str) -> list[bool]:
    return [run.loopback for run in feed(PARSER, text.splitlines())]


ONE, OTHER = "00:00:00:00:00:00:00:00:00:00:255:255:10:01:00:05", "00:00:00:00:00:00:00:00:00:00:255:255:10:01:00:06"


@pytest.mark.parametrize(
    ("ends", "loopback"),
    [
        (address("local", "0x11") + address("remote", "0x11"), True),
        (2 * (address("local", "0x11") + address("remote", "0x11")), True),
        (address("local", "0x011") + address("remote", "0x11"), True),
        (address("local", "0x11") + address("remote", "0x12"), False),
        (
            address("local", "0x11") + address("remote", "0x12") + address("local", "0x12") + address("remote", "0x11"),
            False,
        ),
        (address("local", "0000") + address("remote", "0000"), False),
        (address("local", "0000", ONE) + address("remote", "0000", ONE), True),
        (address("local", "0000", ONE) + address("remote", "0000", OTHER), False),
        (address("local", "0x11", ONE) + address("remote", "0x11", OTHER), False),  # LIDs of two subnets
        (address("local", "0x11"), False),
        ("", False),
    ],
)
def test_both_ends_are_one_port(ends: str, loopback: bool) -> None:
    assert loopbacks(TITLE + ends + TABLE) == [loopback]


def test_addresses_of_one_run_are_not_the_next_ones() -> None:
    own = address("local", "0x11") + address("remote", "0x11")
    far = address("local", "0x11") + address("remote", "0x12")
    assert loopbacks(TITLE + own + TABLE + TITLE + far + TABLE + TITLE + own + TABLE) == [True, False, True]
