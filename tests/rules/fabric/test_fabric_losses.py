"""Discards and lost links of fabric ports that were read once."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "fabric-losses"


def exported(port: int, downs: int = 0, discards: int = 0, sent: int = 4_000_000_000) -> str:
    labels = f'{{guid="0x0c42a10300bb4002",port="{port}",switch="leaf03"}}'
    return (
        f"infiniband_switch_port_link_downed_total{labels} {downs}\n"
        f"infiniband_switch_port_transmit_discards_total{labels} {discards}\n"
        f"infiniband_switch_port_transmit_packets_total{labels} {sent}\n"
        f"infiniband_switch_port_symbol_error_total{labels} 0\n"
    )


def test_counts_with_port_and_line() -> None:
    text = exported(1) + exported(2, downs=18, discards=20046) + exported(3, downs=1, discards=90)
    assert said(RULE, text) == snapshot(
        [
            (
                "link-flapping",
                "warning",
                "possible",
                "1 port of the fabric lost the link at some time: leaf03/2: 18 times that the link went down; a second reading shows whether it goes on",
            ),
            (
                "fabric-congestion",
                "info",
                "possible",
                "1 port of the fabric discarded packets at some time: leaf03/2: 20046 packets discarded because the port was down or congested; a second reading shows whether it goes on",
            ),
        ]
    )
    assert [e.line for found in findings_of(RULE, text) for e in found.evidence] == [5, 6]


def test_a_part_of_what_was_sent_is_a_warning() -> None:
    found = {share: findings_of(RULE, exported(2, discards=int(4e9 * share))) for share in (0.0, 1e-6, 1e-3, 0.05)}
    assert {share: [f.severity for f in each] for share, each in found.items()} == snapshot(
        {0.0: [], 1e-06: ["info"], 0.001: ["warning"], 0.05: ["warning"]}
    )


def test_errors_of_another_port_hide_nothing() -> None:
    text = (
        exported(2, discards=20046)
        + 'infiniband_switch_port_receive_errors_total{guid="0x0c42a10300bb4002",port="9",switch="leaf03"} 9999\n'
    )
    assert [found.suspects[0].name for found in findings_of(RULE, text)] == ["leaf03/2"]


def test_ports_that_were_read_twice_are_judged_by_their_growth() -> None:
    text = "# Port extended counters: Lid 7 port 2 (CapMask: 0x5300)\nPortXmitDiscards:................20046\n"
    assert len(findings_of(RULE, text)) == 1
    assert findings_of(RULE, text + text) == ()
