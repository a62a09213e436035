"""iperf3 -J: the sums at its end."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.benchmarks.iperf_json import IperfJson

DOCUMENT = {
    "start": {"connecting_to": {"host": "gpu02", "port": 5201}},
    "intervals": [],
    "end": {
        "sum_sent": {"bytes": 1165012992, "bits_per_second": 931998942.3, "retransmits": 8120},
        "sum_received": {"bytes": 1161012992, "bits_per_second": 928998942.3},
    },
}
VALUES = st.none() | st.integers() | st.floats() | st.text(max_size=9)
SUMS = st.dictionaries(st.sampled_from(["bytes", "bits_per_second", "retransmits", "lost_packets", "packets"]), VALUES)


def test_what_the_receiver_got_and_the_sender_sent_again() -> None:
    (event,) = IperfJson().read(DOCUMENT, "t", 1)
    assert event.groups == snapshot(
        {"peer": "gpu02", "retransmits": "8120", "rate_gbit": "0.928999", "bytes": "1165012992"}
    )


def test_both_directions_at_once_are_two_tests() -> None:
    document: Any = deepcopy(DOCUMENT)
    document["end"]["sum_sent_bidir_reverse"] = {"bytes": 500000000, "bits_per_second": 4e8, "retransmits": 3}
    document["end"]["sum_received_bidir_reverse"] = {"bytes": 499000000, "bits_per_second": 3.99e8}
    events = list(IperfJson().read(document, "t", 1))
    assert [(e.groups["rate_gbit"], e.groups["retransmits"]) for e in events] == [("0.928999", "8120"), ("0.399", "3")]


def test_other_documents_are_left_alone() -> None:
    assert not IperfJson.wants_document({"start": {}, "end": {}})
    assert not IperfJson.wants_document([DOCUMENT])


@given(start=VALUES | st.dictionaries(st.just("connecting_to"), VALUES), sent=VALUES | SUMS, got=VALUES | SUMS)
def test_odd_values_give_fewer_records(start: object, sent: object, got: object) -> None:
    document = {"start": start, "intervals": [], "end": {"sum_sent": sent, "sum_received": got}}
    assert len(list(IperfJson().read(document, "t", 1))) <= 1
