"""``npu-smi info`` of Ascend."""

from __future__ import annotations

from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import said

from slowlink.parsers.forms.lines import form_of
from slowlink.parsers.gpu import npu_smi
from slowlink.parsers.gpu.npu_smi import PARSER

SAMPLE = sample_in(npu_smi.__doc__ or "")


def readings(text: str) -> list[tuple[str, str, object]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(PARSER, text.splitlines())]


def test_two_rows_are_one_chip() -> None:
    assert readings(SAMPLE) == snapshot(
        [
            ("driver-version", "", "24.1.rc2"),
            ("gpu-name", "1", "Ascend 910B3"),
            ("gpu-state", "1", "Alarm"),
            ("gpu-power", "1", 93.8),
            ("gpu-temperature", "1", 44.0),
            ("gpu-bus-id", "1", "0000:c2:00.0"),
            ("gpu-utilisation", "1", 0.0),
            ("gpu-memory-used", "1", 3354 << 20),
            ("gpu-memory-total", "1", 65536 << 20),
        ]
    )


def test_the_second_chip_of_a_card_has_a_name_of_its_own() -> None:
    *head, first, second = SAMPLE.splitlines()
    text = "\n".join((*head, first, second, first.replace("Alarm", "OK   "), second))
    assert [row for row in readings(text) if row[0] == "gpu-state"] == [
        ("gpu-state", "1", "Alarm"),
        ("gpu-state", "1/1", "OK"),
    ]


def test_rows_without_their_title_are_somebody_elses() -> None:
    assert readings("\n".join(SAMPLE.splitlines()[3:])) == []


def test_a_chip_that_is_not_ok_is_found_and_a_warning_is_no_fault_yet() -> None:
    assert said("gpu-state-bad", SAMPLE) == snapshot(
        [("gpu-hardware-fault", "error", "likely", "GPU 1: Alarm, says the GPU's own tool")]
    )
    assert said("gpu-state-bad", SAMPLE.replace("Alarm  ", "Warning")) == snapshot(
        [("gpu-hardware-fault", "warning", "possible", "GPU 1: Warning, says the GPU's own tool")]
    )
    assert said("gpu-state-bad", SAMPLE.replace("Alarm", "OK   ")) == []


def test_what_is_used_is_wanted_whatever_its_digits() -> None:
    for line in SAMPLE.splitlines():
        assert PARSER.wants(line) == PARSER.wants(form_of(line).decode()) is True, line


@given(st.lists(st.sampled_from([*SAMPLE.splitlines(), "", "| x |"]), max_size=12))
def test_any_order_of_lines_gives_a_result(lines: list[str]) -> None:
    for attribute, _, value in readings("\n".join(lines)):
        assert attribute.startswith(("gpu-", "driver-"))
        assert value != ""
