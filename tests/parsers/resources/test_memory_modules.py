"""dmidecode: memory modules, their sizes and speeds."""

from __future__ import annotations

from typing import Any

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.lines import form_of, shape_of
from slowlink.parsers.resources.memory_modules import MemoryModules

TEXT = """\
Handle 0x0011, DMI type 17, 92 bytes
Memory Device
\tTotal Width: 80 bits
\tData Width: 64 bits
\tSize: 64 GB
\tForm Factor: DIMM
\tSet: None
\tLocator: DIMM_A1
\tBank Locator: NODE 0 CHANNEL 0
\tType: DDR5
\tSpeed: 5600 MT/s
\tManufacturer: Example
\tConfigured Memory Speed: 4800 MT/s

Handle 0x0012, DMI type 17, 92 bytes
Memory Device
\tSize: No Module Installed
\tLocator: DIMM_A2
\tBank Locator: NODE 0 CHANNEL 0

Handle 0x0013, DMI type 17, 40 bytes
Memory Device
\tSize: 32768 MB
\tLocator: P1
\tBank Locator:
\tSpeed: 2933 MHz
\tConfigured Clock Speed: Unknown

Handle 0x0020, DMI type 4, 48 bytes
Processor Information
\tSpeed: 3000 MT/s
"""
LINES = TEXT.splitlines()


def said(*lines: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(MemoryModules, lines)]


def test_each_slot_is_a_part() -> None:
    assert said(*LINES) == snapshot(
        [
            ("memory-module-size", "NODE 0 CHANNEL 0 DIMM_A1", 64.0),
            ("memory-module-speed-rated", "NODE 0 CHANNEL 0 DIMM_A1", 5600),
            ("memory-module-speed", "NODE 0 CHANNEL 0 DIMM_A1", 4800),
            ("memory-module-size", "NODE 0 CHANNEL 0 DIMM_A2", 0.0),
            ("memory-module-size", "P1", 32.0),
            ("memory-module-speed-rated", "P1", 2933),
        ]
    )


def test_a_field_outside_a_module_is_nobodys() -> None:
    assert said("\tSpeed: 5600 MT/s", "\tSize: 64 GB") == []


def test_wants_is_blind_to_digits_and_each_wanted_line_holds_a_literal() -> None:
    for text in LINES:
        assert MemoryModules.wants(text) == MemoryModules.wants(shape_of(text).decode()), text
        assert not MemoryModules.wants(text) or MemoryModules.literals.in_(form_of(text).decode()), text


@given(lines=st.lists(st.text(max_size=60) | st.sampled_from(LINES), max_size=40))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for r in feed(MemoryModules, lines):
        assert 1 <= r.ref.line <= len(lines)
