"""Redfish: parts of a machine that are not well, and its power."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_readings import records, said

from slowlink.parsers.host.redfish import Redfish

WELL = {"Health": "OK", "State": "Enabled"}
BAD = {"Health": "Critical", "State": "Enabled"}


def resource(kind: str, **fields: Any) -> str:
    return json.dumps({"@odata.id": "/redfish/v1/Chassis/1", "@odata.type": f"#{kind}.v1_7_0.{kind}", **fields})


def facts(text: str) -> list[tuple[str, str, str]]:
    return [(each.kind, each.subject, each.value) for each in records(text).observations]


def test_power_supplies_and_the_limit_of_power() -> None:
    text = resource(
        "Power",
        PowerControl=[{"PowerConsumedWatts": 5200, "PowerLimit": {"LimitInWatts": 6000}}],
        PowerSupplies=[
            {"Name": "PSU1", "Status": WELL},
            {"Name": "PSU2", "Status": BAD},
            {"Name": "PSU3", "Status": {"Health": "Critical", "State": "Absent"}},
        ],
    )
    assert facts(text) == snapshot([("bmc-power-lost", "PSU2", "state: Critical")])
    assert said(text) == snapshot(["node-power  = 5200", "node-power-limit  = 6000"])


def test_fans_and_temperatures() -> None:
    text = resource(
        "Thermal",
        Fans=[{"Name": "Fan 1", "Reading": 0, "ReadingUnits": "RPM", "Status": BAD}],
        Temperatures=[{"Name": "CPU1 Temp", "ReadingCelsius": 98, "Status": BAD}],
    )
    assert facts(text) == snapshot(
        [
            ("bmc-fan-failed", "Fan 1", "state: Critical, 0 RPM"),
            ("bmc-too-hot", "CPU1 Temp", "state: Critical, 98 degrees C"),
        ]
    )


def test_a_part_is_told_and_not_the_sum_that_it_spoils() -> None:
    memory: dict[str, Any] = {"@odata.type": "#Memory.v1_1_0.Memory", "Name": "DIMM A1", "Status": BAD}
    worn = {**memory, "Status": {"Health": "Warning"}}
    assert said(resource("ComputerSystem", Name="System", Status=BAD)) == snapshot(
        ["health-test redfish/ComputerSystem System = fail"]
    )
    assert said(resource("ComputerSystem", Name="System", Status=BAD, Memory=[memory])) == snapshot(
        ["health-test redfish/Memory DIMM A1 = fail"]
    )
    assert said(resource("ComputerSystem", Name="System", Status=BAD, Memory=[worn])) == snapshot(
        ["health-test redfish/ComputerSystem System = fail", "health-test redfish/Memory DIMM A1 = warn"]
    )


def test_a_machine_that_is_well_proves_nothing() -> None:
    text = resource("ComputerSystem", Name="System", Status=WELL)
    assert (facts(text), said(text)) == ([], [])


def test_logs_hold_what_was() -> None:
    assert not Redfish.wants_document(json.loads(resource("LogEntryCollection", Members=[])))


WORDS = st.sampled_from(["Status", "Health", "Critical", "Name", "Fans", "Reading", "PowerControl", "PowerLimit", "x"])
VALUES = st.recursive(
    st.none() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
)


@given(VALUES)
def test_odd_values_give_fewer_records_and_never_an_error(value: object) -> None:
    assert all(record.ref.line == 7 for record in Redfish().read({"PowerControl": [value], "Fans": value}, "t", 7))
