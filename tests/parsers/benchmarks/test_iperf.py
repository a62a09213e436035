"""iperf 2 and 3: one event a test, of the row that counts."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.benchmarks.iperf import Iperf
from slowlink.parsers.forms.lines import form_of, shape_of

TEXTS = {
    "streams": """\
Connecting to host 10.0.1.8, port 5201
[  5] local 10.0.1.7 port 41022 connected to 10.0.1.8 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  2.74 GBytes  23.5 Gbits/sec    0   1.61 MBytes
[SUM]   0.00-1.00   sec  10.9 GBytes  93.9 Gbits/sec    0
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  27.4 GBytes  23.5 Gbits/sec    3             sender
[  5]   0.00-10.00  sec  27.4 GBytes  23.5 Gbits/sec                  receiver
[SUM]   0.00-10.00  sec   109 GBytes  94.0 Gbits/sec   12             sender
[SUM]   0.00-10.00  sec   109 GBytes  93.9 Gbits/sec                  receiver

iperf Done.
""",
    "datagrams": """\
Connecting to host gpu02, port 5201
[  5]   0.00-2.00   sec  2.19 GBytes  9.40 Gbits/sec  0.000 ms  0/1624201 (0%)  sender
[  5]   0.00-2.00   sec  1.57 GBytes  6.74 Gbits/sec  0.004 ms  460120/1624201 (28%)  receiver
""",
    "version 2": """\
------------------------------------------------------------
Client connecting to 192.168.10.2, TCP port 5001
TCP window size: 85.0 KByte (default)
------------------------------------------------------------
[  3] local 192.168.10.1 port 41022 connected with 192.168.10.2 port 5001
[ ID] Interval       Transfer     Bandwidth
[  3]  0.0-10.0 sec  5.47 GBytes  4.70 Gbits/sec
[SUM]  0.0-10.0 sec  11.0 GBytes  9.41 Gbits/sec
""",
    "cut": """\
[  5]   0.00-1.00   sec   112 MBytes   939 Mbits/sec  812   22.6 KBytes
[  5]   1.00-2.00   sec   110 MBytes   925 Mbits/sec  977   19.8 KBytes
""",
}
TEXTS |= {
    "version 2, enhanced": """\
Client connecting to 10.0.1.8, TCP port 5001 with pid 4120 (1/2 flows/load)
[ ID] Interval        Transfer    Bandwidth       Write/Err  Rtry     InF(pkts)/Cwnd(pkts)/RTT(var)  NetPwr
[  1] 0.0000-10.0013 sec  27.4 GBytes  23.5 Gbits/sec  224461/0         3     1024K(130)/2048K(260)/211(12) us  13922
[  2] 0.0000-10.0012 sec  27.4 GBytes  23.5 Gbits/sec  224460/0         9     1024K(130)/2048K(260)/211(12) us  13922
[SUM-2] 0.0000-10.0013 sec  54.8 GBytes  47.0 Gbits/sec  448921/0        12
""",
    "bytes": """\
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  10.9 GBytes  1120 MBytes/sec    7             sender
[  5]   0.00-10.00  sec  10.9 GBytes  1117 MBytes/sec                  receiver
CPU Utilization: local/sender 99.1% (1.2%u/97.9%s), remote/receiver 12.0% (1.0%u/11.0%s)
""",
    "both directions": """\
[ ID][Role] Interval           Transfer     Bitrate         Retr
[  5][TX-C]   0.00-10.00  sec  27.4 GBytes  23.5 Gbits/sec    3             sender
[  5][TX-C]   0.00-10.00  sec  27.4 GBytes  23.5 Gbits/sec                  receiver
[  7][RX-C]   0.00-10.00  sec  11.0 GBytes  9.41 Gbits/sec    0             sender
[  7][RX-C]   0.00-10.00  sec  11.0 GBytes  9.40 Gbits/sec                  receiver
""",
}
LINES = [line for text in TEXTS.values() for line in text.splitlines()]


def said(text: str) -> list[dict[str, str]]:
    return [dict(event.groups) for event in feed(Iperf, text.splitlines())]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (
            "streams",
            snapshot([{"peer": "10.0.1.8", "retransmits": "12", "rate_gbit": "93.9", "bytes": "117037858816"}]),
        ),
        (
            "datagrams",
            snapshot(
                [
                    {
                        "peer": "gpu02",
                        "rate_gbit": "6.74",
                        "bytes": "1685774664",
                        "lost": "460120",
                        "datagrams": "1624201",
                    }
                ]
            ),
        ),
        ("version 2", snapshot([{"peer": "192.168.10.2", "rate_gbit": "9.41", "bytes": "11811160064"}])),
        ("cut", snapshot([{"rate_gbit": "0.925", "bytes": "115343360"}])),
    ],
)
def test_each_form(name: str, found: list[dict[str, str]]) -> None:
    assert said(TEXTS[name]) == found


def test_two_tests_are_two_events() -> None:
    assert [event["peer"] for event in said(TEXTS["streams"] + TEXTS["datagrams"])] == ["10.0.1.8", "gpu02"]


def test_wants_is_blind_to_digits_and_each_wanted_line_holds_a_literal() -> None:
    for text in LINES:
        assert Iperf.wants(text) == Iperf.wants(shape_of(text).decode()), text
        assert not Iperf.wants(text) or Iperf.literals.in_(form_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for event in feed(Iperf, lines):
        assert 1 <= event.ref.line <= len(lines)


def test_sums_of_newer_versions_name_how_many_streams_they_hold() -> None:
    assert said(TEXTS["version 2, enhanced"]) == snapshot(
        [{"peer": "10.0.1.8", "retransmits": "12", "rate_gbit": "47", "bytes": "58841051955"}]
    )


def test_rates_in_bytes_are_powers_of_1024() -> None:
    assert said(TEXTS["bytes"]) == snapshot([{"retransmits": "7", "rate_gbit": "9.37008", "bytes": "11703785882"}])


def test_both_directions_at_once_are_two_tests() -> None:
    assert said(TEXTS["both directions"]) == snapshot(
        [
            {"retransmits": "3", "rate_gbit": "23.5", "bytes": "29420525978"},
            {"retransmits": "0", "rate_gbit": "9.4", "bytes": "11811160064"},
        ]
    )
