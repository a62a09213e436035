"""A report about hundreds of files lists those that a reader must know of."""

from __future__ import annotations

from slowlink.model.report import InputSummary, Report
from slowlink.report.full import render_text


def summary(name: str, unread: int = 0, problem: str | None = None) -> InputSummary:
    return InputSummary(f"state/{name}", ("nvidia-smi",), 100, 10, 10 - unread, 0, unread, (), problem)


def test_of_many_inputs_those_with_problems_are_listed() -> None:
    inputs = [summary(f"node{number:03}") for number in range(200)]
    inputs[150] = summary("node150", problem="cut off")
    inputs[170] = summary("node170", unread=4)
    text = render_text(Report("slowlink.report/1", "0", "inconclusive", "nothing", inputs=tuple(inputs)), width=120)
    assert "200 inputs (each of them with --format html), 2,000 lines, 4 unread" in text
    assert "state/node150: cut off" in text
    assert text.count("node1") == 1
