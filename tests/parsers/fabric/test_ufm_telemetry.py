"""Samples of UFM's telemetry."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import said

from slowlink.parsers.fabric.ufm_telemetry import DOCUMENT


def sample(second: int, *ports: dict[str, object]) -> str:
    """One object, as the plug-in sends it."""
    common = {"timestamp": 1933135628000000 + second * 1_000_000, "node_guid": "0x200a1", "source_id": "0x200a1"}
    return json.dumps({"timestamp": "2031-04-05 06:07:08", "type": "full", "values": [{**common, **p} for p in ports]})


def port(number: int, symbols: int = 0, downs: int = 0) -> dict[str, object]:
    return {
        "port_num": number,
        "Infiniband_SymbolErrors_u_Errors": symbols,
        "Infiniband_LinkDowned_u_Errors": downs,
        "Infiniband_XmitWait_u_Ticks": 7,
        "Infiniband_CBW_f_u_Gbps": 0.5,
        "hist0_u_count": 3,
    }


def test_counters_of_each_port_with_their_time() -> None:
    value = json.loads(sample(0, port(1, 4), {"Infiniband_SymbolErrors_u_Errors": 9}))
    assert DOCUMENT.wants_document(value)
    assert [(r.attribute, r.part.name, r.value, r.at) for r in DOCUMENT().read(value, "ufm.json", 3)] == snapshot(
        [
            ("link-guid", "0x00000000000200a1/1", "0x00000000000200a1", 1933135628.0),
            ("port-symbol-errors", "0x00000000000200a1/1", 4, 1933135628.0),
            ("port-link-downed", "0x00000000000200a1/1", 0, 1933135628.0),
            ("port-xmit-wait", "0x00000000000200a1/1", 7, 1933135628.0),
        ]
    )


def test_one_sample_doubts_and_two_tell_growth() -> None:
    assert said("fabric-link-errors", sample(0, port(1), port(2, symbols=500))) == snapshot(
        [
            (
                "link-errors",
                "warning",
                "possible",
                "1 port of the fabric counted errors at some time: 0x00000000000200a1/2: 500 symbol errors, 1 other none; a second reading shows whether they still do",
            )
        ]
    )
    grown = sample(0, port(1), port(2, symbols=500)) + "\n" + sample(60, port(1), port(2, symbols=620))
    assert said("fabric-link-errors", grown) == snapshot(
        [
            (
                "link-errors",
                "error",
                "certain",
                "1 port of the fabric counted errors between two readings: 0x00000000000200a1/2: 120 symbol errors",
            )
        ]
    )


@given(
    st.recursive(st.none() | st.integers() | st.text(max_size=9), lambda v: st.lists(v) | st.dictionaries(st.text(), v))
)
def test_any_document(value: object) -> None:
    for document in (
        value,
        {"values": [value]},
        {"values": [{"node_guid": "0x1", "port_num": 1, "Infiniband_XmitWait_u_Ticks": value}]},
    ):
        DOCUMENT.wants_document(document)
        assert all(r.attribute for r in DOCUMENT().read(document, "a", 1))
