"""How many packets of ping came back."""

from __future__ import annotations

import re

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.network.ping import PARSER

TEXT = """\
PING gpu02 (10.0.0.2) 56(84) bytes of data.
64 bytes from gpu02 (10.0.0.2): icmp_seq=1 ttl=64 time=0.081 ms
--- gpu02 ping statistics ---
10 packets transmitted, 7 received, +1 duplicates, +2 errors, 30% packet loss, time 9200ms
rtt min/avg/max/mdev = 0.081/0.090/0.110/0.004 ms
--- 10.0.0.3 ping statistics ---
3 packets transmitted, 3 packets received, 0% packet loss
round-trip min/avg/max = 0.081/0.090/0.110 ms
ping: local error: message too long, mtu=1500
From 10.0.0.1 icmp_seq=2 Frag needed and DF set (mtu = 1500)
--- gpu04 ping statistics ---
3 packets transmitted, 0 received, +3 errors, 100% packet loss, time 2041ms
""".splitlines()


def told(lines: list[str]) -> list[tuple[str, dict[str, str]]]:
    return [(event.kind, dict(event.groups)) for event in feed(PARSER, lines)]


def test_totals_of_every_ping() -> None:
    assert told(TEXT) == snapshot(
        [
            (
                "ping-lost",
                {"peer": "gpu02", "sent": "10", "received": "7", "duplicates": "1", "errors": "2"},
            ),
            ("ping-answered", {"peer": "10.0.0.3", "sent": "3", "received": "3"}),
            ("ping-lost", {"peer": "gpu04", "mtu": "1500", "sent": "3", "received": "0", "errors": "3"}),
        ]
    )


def test_which_digits_stand_in_a_line_does_not_matter() -> None:
    for text in TEXT:
        assert PARSER.wants(text), text
        assert PARSER.wants(re.sub(r"\d", "0", text)), text


def test_totals_without_a_title_have_no_peer() -> None:
    assert told(["5 packets transmitted, 0 received, 100% packet loss"]) == [
        ("ping-lost", {"sent": "5", "received": "0"})
    ]


@given(st.lists(st.sampled_from(TEXT) | st.text()), st.integers(0, 90))
def test_any_order_and_any_cut_gives_totals_only(lines: list[str], end: int) -> None:
    for kind, groups in told([text[:end] for text in lines]):
        assert (kind == "ping-lost") == (int(groups["received"]) < int(groups["sent"]))
