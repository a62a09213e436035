"""Tables of real logs against their labels (rows, ranks, peaks, printed averages)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from slowlink.inputs import open_inputs
from slowlink.model.benchmark import CollectiveRun
from slowlink.parsers.benchmarks.nccl_tests.checks import nranks_from_ratio, table_ratio
from slowlink.parsers.reading.read import read

CORPUS = Path(os.environ.get("SLOWLINK_CORPUS", Path(__file__).parents[3].parent / "shared" / "corpus"))
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not (CORPUS / "expected.tsv").exists(), reason="the labelled corpus is not here"),
]
KINDS = ("nccl-tests/", "nccl-debug/")
CHECKED = {"tables", "rows", "nranks", "peak_busbw", "avg_busbw", "out_of_bounds", "peak_algbw"}


def labels() -> Iterator[tuple[str, dict[str, str]]]:
    if not (CORPUS / "expected.tsv").exists():
        return
    lines = (CORPUS / "expected.tsv").read_text(encoding="utf-8").splitlines()
    names = lines[0].split("\t")
    for line in lines[1:]:
        row = dict(zip(names, line.split("\t"), strict=False))
        facts = dict(part.split("=", 1) for part in row["facts"].split(";") if "=" in part)
        if row["path"].startswith(KINDS) and ({"rows", "tables"} & set(facts)):
            yield row["path"], facts


def nranks_of(run: CollectiveRun) -> int | None:
    if run.devices:
        return max(device.rank for device in run.devices) + 1
    ratio = table_ratio(run.points)
    estimate = nranks_from_ratio(run.collective, ratio.value, ratio.error) if ratio else None
    return estimate.nranks if estimate else None


def observed(runs: tuple[CollectiveRun, ...]) -> dict[str, list[str]]:
    tables = [run for run in runs if run.columns or run.rows]
    peaks = [max((p.busbw_gbs for p in t.points if p.busbw_gbs is not None), default=None) for t in tables]
    algbw = [max((p.algbw_gbs for p in t.points if p.algbw_gbs is not None), default=None) for t in tables]
    return {
        "tables": [str(len(tables))],
        "rows": [str(table.rows) for table in tables] or ["0"],
        "nranks": [str(nranks_of(run)) for run in runs],
        "peak_busbw": [f"{peak:g}" for peak in peaks if peak is not None],
        "peak_algbw": [f"{peak:.8g}" for peak in algbw if peak is not None],
        "avg_busbw": [f"{t.average_busbw_gbs:.6g}" for t in tables if t.average_busbw_gbs is not None],
        "out_of_bounds": [str(table.out_of_bounds) for table in tables],
    }


@pytest.mark.parametrize("path, facts", list(labels()), ids=lambda value: value if isinstance(value, str) else "")
def test_labelled_tables_are_read(path: str, facts: dict[str, str]) -> None:
    found = observed(read(open_inputs([str(CORPUS / path)]), workers=1).runs)
    for key in CHECKED & set(facts):
        expected = facts[key].split(",")
        if "XXX" in facts[key]:
            continue
        values = found[key]
        # One value may stand for all tables of the file.
        if len(expected) == 1 and len(set(values)) == 1:
            values = values[:1]
        assert values == expected, key
