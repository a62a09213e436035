"""dcgmi dmon: rows below a heading of short names."""

from __future__ import annotations

import re

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.catalog.attributes import all_attributes
from slowlink.model.source import Line
from slowlink.parsers.gpu.dcgm.fields import SHORT
from slowlink.parsers.gpu.dcgm_dmon import DcgmDmon
from slowlink.parsers.gpu.nvidia_smi.csv_fields import REASON_BITS

SAMPLES = """\
#Entity   TMPTR  POWER    FBUSD  XIDER
ID
GPU 1     47     93.104   0      N/A
GPU 0     45     71.034   11     79
""".splitlines()


def told(lines: list[str]) -> list[tuple[str, str, object]]:
    return [(found.attribute, found.part.name, found.value) for found in feed(DcgmDmon, lines)]


def test_samples() -> None:
    assert told(SAMPLES) == snapshot(
        [
            ("gpu-temperature", "1", 47.0),
            ("gpu-power", "1", 93.104),
            ("gpu-memory-used", "1", 0),
            ("gpu-temperature", "0", 45.0),
            ("gpu-power", "0", 71.034),
            ("gpu-memory-used", "0", 11534336),
            ("gpu-last-xid", "0", 79),
        ]
    )


def test_the_mask_of_clock_reasons_is_a_fact_for_each_bit() -> None:
    rows = ["#Entity   DVCCTR", "ID", "GPU 1     136", "GPU 0     0"]
    assert [(name, gpu) for name, gpu, value in told(rows) if value] == snapshot(
        [("gpu-clocks-hw-slowdown", "1"), ("gpu-clocks-power-brake", "1")]
    )
    assert {name for name, *_ in told(rows)} == set(REASON_BITS.values())


def test_rows_without_their_heading_are_not_ours() -> None:
    assert told(SAMPLES[1:]) == []


def test_a_new_heading_changes_the_columns() -> None:
    assert told([*SAMPLES[:2], "# Entity  SMCLK  MMCLK", "Id", "GPU 2     1980   2619"]) == snapshot(
        [("gpu-clock-sm", "2", 1980.0), ("gpu-clock-memory", "2", 2619.0)]
    )


def test_a_row_that_lacks_a_cell_is_not_guessed_at() -> None:
    assert told([SAMPLES[0], "GPU 0     45     71.034   11"]) == []


def test_fields_are_attributes() -> None:
    assert {field.attribute for fields in SHORT.values() for field in fields} <= set(all_attributes())


def test_which_digits_stand_in_a_line_does_not_matter() -> None:
    for text in SAMPLES:
        assert DcgmDmon.wants(text) == DcgmDmon.wants(re.sub(r"\d", "0", text))


@given(st.lists(st.sampled_from(SAMPLES) | st.text(max_size=30), max_size=12), st.integers(0, 50))
def test_any_text_gives_a_result(lines: list[str], cut: int) -> None:
    reader = DcgmDmon()
    for number, text in enumerate(lines, 1):
        reader.feed(Line("t", number, text[:cut]))
    assert all(1 <= found.ref.line <= len(lines) for found in reader.finish())
