from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said


def ping(peer: str, totals: str) -> str:
    return f"--- {peer} ping statistics ---\n{totals}\n"


SILENT = ping("gpu02", "10 packets transmitted, 0 received, 100% packet loss, time 9200ms")


def test_a_filter_may_drop_all_pings() -> None:
    assert said("pings-lost", SILENT) == snapshot(
        [
            (
                "tcp-unreachable",
                "warning",
                "possible",
                "gpu02 answers no ping: it is away, or pings are dropped on the way",
            )
        ]
    )


def test_a_network_that_answers_is_no_filter() -> None:
    text = ping("gpu02", "10 packets transmitted, 0 received, +9 errors, 100% packet loss, time 9200ms")
    assert said("pings-lost", text) == snapshot(
        [
            (
                "tcp-unreachable",
                "error",
                "likely",
                "gpu02 answers no ping: the network answers that it cannot be reached",
            )
        ]
    )


def test_some_packets_are_lost() -> None:
    text = ping("gpu02", "100 packets transmitted, 93 received, 7% packet loss, time 9200ms")
    assert said("pings-lost", text) == snapshot(
        [
            (
                "link-errors",
                "warning",
                "possible",
                "7 of 100 pings to gpu02 did not come back: packets are lost on the way",
            )
        ]
    )


def test_the_first_packet_alone_may_wait_for_an_address() -> None:
    assert findings_of("pings-lost", ping("gpu02", "10 packets transmitted, 9 received, 10% packet loss")) == ()


def test_a_node_that_answers_later_was_only_away() -> None:
    assert findings_of("pings-lost", SILENT + ping("gpu02", "3 packets transmitted, 3 received, 0% packet loss")) == ()
    assert findings_of("pings-lost", SILENT + ping("gpu03", "3 packets transmitted, 3 received, 0% packet loss")) != ()


def test_packets_too_long_are_not_lost() -> None:
    text = "ping: local error: message too long, mtu=1500\n" + ping(
        "gpu02", "3 packets transmitted, 0 received, +3 errors, 100% packet loss, time 2041ms"
    )
    assert said("pings-lost", text) == snapshot(
        [
            (
                "mtu-mismatch",
                "warning",
                "possible",
                "pings of the size that was asked for do not pass to gpu02: the MTU is 1500 there or on the way",
            )
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("pings-lost", SILENT) == snapshot(
        [
            [
                ("Try TCP instead, which a firewall for pings lets through.", "nc -vz -- gpu02 22"),
                (
                    "Ping the node from a third one; look whether it is up, and at its route.",
                    "ip route; ip -br link",
                ),
            ]
        ]
    )


def test_ibping_is_answered_by_its_own_server_alone() -> None:
    text = "---  (Lid 12) ibping statistics ---\n5 packets transmitted, 0 received, 100% packet loss, time 10012 ms\n"
    assert said("pings-lost", text) == snapshot(
        [
            (
                "fabric-path-blocked",
                "warning",
                "possible",
                "Lid 12 answers no ibping: no ibping -S runs there, or the fabric carries nothing to it",
            )
        ]
    )


@pytest.mark.parametrize(
    "short, told",
    [
        (
            "",
            (
                "warning",
                "possible",
                "gpu03 answers no ping of 8972 bytes; whether it answers shorter ones was not tried",
            ),
        ),
        (
            "--- gpu03 ping statistics ---\n3 packets transmitted, 3 received, 0% packet loss, time 2003ms\n",
            ("error", "likely", "gpu03 answers no ping of 8972 bytes, and answers shorter ones"),
        ),
    ],
)
def test_long_pings_without_an_answer(short: str, told: tuple[str, str, str]) -> None:
    text = (
        f"{short}PING gpu03 (10.0.9.3) 8972(9000) bytes of data.\n\n--- gpu03 ping statistics ---\n"
        "4 packets transmitted, 0 received, 100% packet loss, time 3061ms\n"
    )
    assert said("pings-lost", text) == [("mtu-mismatch", *told)]
