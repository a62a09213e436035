"""What was expected of a sweep is found by its name."""

from __future__ import annotations

from msgspec.structs import replace

from history_records import report
from slowlink.model.report import Expectation
from slowlink.report.sweep_rows import Expected


def expectation(quantity: str, subject: str, value: float = 390.0) -> Expectation:
    return Expectation(quantity, subject, value, 350.0, 400.0, "GB/s", "rails")


def test_expectations_are_those_of_the_sweep_also_where_its_name_has_blanks() -> None:
    sweep = replace(report(380.0).sweeps[0], source="job 7/my run.log", line=12)
    told = (
        expectation("busbw", "all_reduce job 7/my run.log:12"),
        expectation("busbw", "all_reduce job 7/my run.log:12", 1.0),
        expectation("busbw:ring", "job 7/my run.log:12"),
        expectation("busbw:tree", "all_reduce job 7/my run.log:12", float("inf")),
        expectation("latency", "all_reduce run.log:12"),
    )
    found = Expected(replace(report(380.0), expectations=told)).of(sweep)
    assert found == {"busbw": told[0], "busbw:ring": told[2]}
