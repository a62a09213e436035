"""What RCCL's network telemetry writes when a process ends."""

from __future__ import annotations

import json
from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from telemetry_texts import telemetry, text_of

from slowlink.inputs import open_given
from slowlink.model.state import Reading, Value
from slowlink.parsers.rdma.rccl_telemetry import DOCUMENT
from slowlink.parsers.rdma.rccl_telemetry.names import counter_of
from slowlink.parsers.reading.read import read


def readings(text: str) -> list[Reading]:
    return [*read(open_given(text.encode())).readings]


def series(found: list[Reading], attribute: str) -> dict[str, list[Value]]:
    """Part -> its values, in order."""
    told: dict[str, list[Value]] = {}
    for each in found:
        if each.attribute == attribute:
            told.setdefault(each.part.name, []).append(each.value)
    return told


def test_counters_are_what_was_added_while_the_process_ran() -> None:
    frames = [0, 0, 0, 9, 0, 0, 0, -1]
    found = readings(text_of(counters={"oos_drop_count": 17, "cnp_sent": 3, "pfc_rx_frames": frames}))
    assert {each.host for each in found} == {"node07"}
    assert series(found, "rdma-out-of-sequence") == {"mlx5_0 (process 4100)": [0, 17]}
    assert series(found, "rdma-np-cnp-sent") == {"mlx5_0 (process 4100)": [0, 3]}
    assert series(found, "priority-pause-received") == {
        f"ens1np0 (process 4100)/{priority}": [0, 9 if priority == 3 else 0] for priority in range(7)
    }
    assert series(found, "interface-pause-received") == {"ens1np0 (process 4100)": [0, 0]}
    assert all(each.at is None for each in found)


def test_what_was_not_read_is_not_zero() -> None:
    found = readings(text_of(counters={"oos_drop_count": -1, "cnp_sent": -7, "ecn_marked_pkts": 1 << 64}))
    assert not series(found, "rdma-out-of-sequence")
    assert not series(found, "rdma-np-cnp-sent")
    assert not series(found, "rdma-np-ecn-marked-roce-packets")
    assert not series(found, "priority-pause-received")


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("cnp_handled", ("port", "rdma-rp-cnp-handled")),
        ("cnp_rcvd", ("port", "rdma-rp-cnp-handled")),
        ("to_retransmits", ("port", "rdma-local-ack-timeout-err")),
        ("max_retry_exceeded", ("port", "rdma-req-transport-retries-exceeded")),
        ("roce_adp_retrans", ("port", "rdma-roce-adp-retrans")),
        ("rx_discards", ("interface", "interface-rx-discards")),
        ("delta_tx_bytes", None),
        ("symbol_error", None),
    ],
)
def test_names_of_all_drivers(name: str, known: tuple[str, str] | None) -> None:
    assert counter_of(name) == known


def test_two_names_of_one_counter_are_one() -> None:
    found = readings(text_of(counters={"to_retransmits": 5, "local_ack_timeout_err": 8}))
    assert series(found, "rdma-local-ack-timeout-err") == {"mlx5_0 (process 4100)": [0, 8]}


def test_latency_is_of_sends_alone() -> None:
    found = readings(text_of(histogram=(10, 30, 0, 0, 10), sends=50, size=4096))
    assert series(found, "hca-completion-latency") == {"mlx5_0 (process 4100)": [57.0]}
    assert series(found, "hca-completions-timed") == {"mlx5_0 (process 4100)": [50]}
    assert series(found, "hca-send-size") == {"mlx5_0 (process 4100)": [4096]}


def test_a_sample_is_counted_as_what_it_is() -> None:
    found = readings(text_of(histogram=(100, 0, 0, 0, 0), sends=1600, every=16))
    assert series(found, "hca-completions-timed") == {"mlx5_0 (process 4100)": [100]}


def test_a_process_that_used_no_hca_says_nothing() -> None:
    assert readings(json.dumps({**telemetry(), "devices": []})) == []
    found = read(open_given(json.dumps({**telemetry(), "devices": []}).encode()))
    assert found.sources[0].kinds == ("rccl-telemetry",)


@pytest.mark.parametrize("name", ["", "a b", "$(id)", "x" * 70, "N/A", None, 7])
def test_a_device_that_no_driver_is_called_is_left_out(name: object) -> None:
    value = telemetry()
    value["devices"][0]["roce_device"] = name
    assert readings(json.dumps(value)) == []


_HOSTILE: st.SearchStrategy[object] = st.sampled_from(
    [10**400, -(10**30), 1e308, nan, "x" * 300, "", None, [], {}, True, "12", -0.0, [[]], [{}]]
)


@given(st.lists(st.integers(0, 400), min_size=1, max_size=4), _HOSTILE)
def test_no_value_of_any_kind_does_harm(places: list[int], hostile: object) -> None:
    value = telemetry()
    slots: list[tuple[dict[str, object], str]] = []

    def walk(each: object) -> None:
        for holder in [each] if isinstance(each, dict) else each if isinstance(each, list) else []:
            if isinstance(holder, dict):
                for key, under in holder.items():
                    slots.append((holder, key))
                    walk(under)

    walk(value)
    for place in places:
        holder, key = slots[place % len(slots)]
        holder[key] = hostile
    if DOCUMENT.wants_document(value):
        for each in DOCUMENT().read(value, "t", 1):
            assert isinstance(each.value, str) or 0 <= each.value < 1 << 63


@given(st.binary(max_size=60), st.integers(0, 3000))
def test_any_damage_gives_a_result(junk: bytes, at: int) -> None:
    whole = text_of().encode()
    read(open_given(whole[:at] + junk + whole[at:]))
