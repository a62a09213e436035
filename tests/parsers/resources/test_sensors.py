"""sensors: temperatures that reached their critical limit."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.resources.sensors import FACTS, Sensors

TEXT = """\
Adapter: PCI adapter
Tctl:         +68.4°C
asic:         +107.0°C  (crit = +105.0°C, highest = +108.0°C)
Package id 0:  +51.0°C  (high = +91.0°C, crit = +101.0°C)
fan1:        12100 RPM  (min =    0 RPM)
"""
WRAPPED = """\
nvme-pci-0100
jc42-i2c-0-18
Composite:     +85.9°C  (low  = -20.1°C, high = +83.8°C)
                       (crit = +84.8°C)
temp1:         +41.0°C  (low  =  +0.0°C, high = +85.0°C)
                       (crit low = -10.0°C, crit = +95.0°C)
temp2:         +99.0°C  (low  =  +0.0°C, high = +85.0°C)
fan1:        12100 RPM  (min =    0 RPM)
"""
LINES = [*WRAPPED.splitlines(), *TEXT.splitlines(), *(line for fact in FACTS for line in fact.samples)]


def test_what_reached_its_limit() -> None:
    assert [(r.part.name, r.value) for r in feed(Sensors, TEXT.splitlines())] == snapshot(
        [("asic", True), ("Package id 0", False)]
    )


def test_the_critical_limit_may_stand_in_the_line_below() -> None:
    assert [(r.part.name, r.value) for r in feed(Sensors, WRAPPED.splitlines())] == [
        ("Composite", True),
        ("temp1", False),
    ]


def test_each_sample_gives_its_value() -> None:
    for line, value in FACTS[0].samples.items():
        assert [r.value for r in feed(Sensors, [line])] == ([] if value is None else [value]), line


def test_wants_is_blind_to_digits() -> None:
    for text in LINES:
        assert Sensors.wants(text) == Sensors.wants(shape_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(Sensors, lines):
        assert 1 <= r.ref.line <= len(lines)
