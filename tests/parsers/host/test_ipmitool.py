"""ipmitool: power and cooling as the management controller sees them, and what follows from it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from whole_inputs import checked

from slowlink.inputs import Input
from slowlink.parsers.host.ipmitool import Ipmitool
from slowlink.parsers.reading.read import read

SUPPLIES = """\
[root@lk-g12 ~]# ipmitool sdr type "Power Supply"
PS1 Status       | C8h | ok  | 10.1 | Presence detected
PS2 Status       | C9h | ok  | 10.2 | Presence detected, Power Supply AC lost
"""
EVENTS = """\
[root@lk-g12 ~]# ipmitool sel list
   1 | 05/11/2026 | 03:14:02 | Power Supply #0xc9 | Power Supply AC lost | Asserted
   2 | 05/11/2026 | 03:20:51 | Fan #0x41 | Lower Critical going low  | Asserted
   3 | 05/11/2026 | 03:22:10 AM CEST | Temperature Inlet Temp | Upper Critical going high | Reading 47 > Threshold 45 degrees C | Asserted
"""
TAKEN_BACK = "   9 | 05/11/2026 | 04:00:00 | Power Supply #0xc9 | Power Supply AC lost | Deasserted\n"


def facts(text: str) -> list[tuple[str | None, str, str, str]]:
    found = read([Input("job.log", None, [text.encode()])], workers=1).observations
    return [(each.host, each.kind, each.subject, each.value) for each in found if each.kind.startswith("bmc-")]


def said(text: str) -> list[tuple[str, str, str]]:
    return [(found.cause, f"{found.severity}, {found.confidence}", found.message) for found in checked(text).findings]


def test_a_power_supply_without_input() -> None:
    assert said(SUPPLIES) == snapshot(
        [
            (
                "power-brake",
                "error, possible",
                "lk-g12: a power supply failed or has no input, so that the machine may brake its GPUs (PS2 Status: Presence detected, Power Supply AC lost)",
            )
        ]
    )
    assert [(each.kind, each.name) for found in checked(SUPPLIES).findings for each in found.suspects] == snapshot(
        [("node", "lk-g12")]
    )


def test_events_may_be_old() -> None:
    assert said(EVENTS) == snapshot(
        [
            (
                "power-brake",
                "warning, possible",
                "lk-g12: a power supply failed or has no input, so that the machine may brake its GPUs (Power Supply #0xc9: Power Supply AC lost)",
            ),
            ("node-too-hot", "warning, possible", "lk-g12: a fan failed (Fan #0x41: Lower Critical going low)"),
            (
                "node-too-hot",
                "warning, possible",
                "lk-g12: a temperature is above its critical limit (Temperature Inlet Temp: Upper Critical going high Reading 47 > Threshold 45 degrees C)",
            ),
        ]
    )


def test_what_was_taken_back_is_over() -> None:
    assert facts(EVENTS.splitlines()[1] + "\n" + TAKEN_BACK) == []


def test_numbers_count_by_their_status() -> None:
    text = (
        "FAN1             | 41h | ok  | 29.1 | 9800 RPM\nFAN3             | 43h | cr  | 29.3 | 480 RPM\n"
        "CPU1 Temp        | 98 degrees C      | nr\nInlet Temp       | 24 degrees C      | ok\n"
        "FAN4             | 44h | ns  | 29.4 | No Reading\n"
    )
    assert facts(text) == snapshot(
        [(None, "bmc-fan-failed", "FAN3", "state: 480 RPM"), (None, "bmc-too-hot", "CPU1 Temp", "state: 98 degrees C")]
    )
    assert read([Input("job.log", None, [text.encode()])], workers=1).sources[0].unread == 0


def test_a_number_beyond_the_other_limit_is_another_fault() -> None:
    text = "Inlet Temp       | 30h | lcr  | 7.1 | -5 degrees C\nFAN3             | 43h | ucr | 29.3 | 29000 RPM\n"
    assert facts(text) == []


def test_the_bmc_of_another_machine_is_that_machine() -> None:
    text = SUPPLIES.replace("ipmitool sdr", "ipmitool -I lanplus -H lk-g33-bmc -U admin -E sdr")
    assert [host for host, *_ in facts(text)] == ["lk-g33"]


def test_prefixed_lines_of_many_nodes() -> None:
    text = "".join(f"lk-g{n}: PS2 Status       | C9h | ok  | 10.2 | Presence detected\n" for n in range(10, 14))
    text += "lk-g14: PS2 Status       | C9h | ok  | 10.2 | Presence detected, Failure detected\n"
    assert [(host, kind) for host, kind, *_ in facts(text)] == [("lk-g14", "bmc-power-lost")]


def test_sound_states_say_nothing() -> None:
    assert facts("".join(SUPPLIES.splitlines(keepends=True)[:2])) == []


@given(st.text(alphabet="PS2 Fan|CAh okcrn.10Asserted/:\n", max_size=200))
def test_wants_is_blind_to_digits(text: str) -> None:
    facts(text)
    for line in text.splitlines():
        blind = "".join("0" if char in "0123456789" else char for char in line)
        assert Ipmitool.wants(line) == Ipmitool.wants(blind)


def test_faults_of_the_chassis() -> None:
    text = "System Power         : on\nMain Power Fault     : {}\nCooling/Fan Fault    : {}\nDrive Fault          : false\n"
    assert facts(text.format("true", "true")) == snapshot(
        [
            (None, "bmc-power-lost", "Main Power Fault", "state: true"),
            (None, "bmc-fan-failed", "Cooling/Fan Fault", "state: true"),
        ]
    )
    assert facts(text.format("false", "false")) == []
    assert Ipmitool.wants("Cooling/Fan Fault    : true")
