"""The model against published results.

The bands were set with these rows in sight: this guards the model against change, it does not prove it.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

from slowlink.catalog.given import given_hardware
from slowlink.expect.busbw import Prediction, predict
from slowlink.expect.case import Case
from slowlink.expect.latency import half_peak_size, share_at
from slowlink.units import parse_size


class Row(Struct, frozen=True):
    number: int
    status: str
    busbw_gbs: float
    size_bytes: int | None
    prediction: Prediction


@cache
def rows() -> tuple[Row, ...]:
    path = Path(__file__).with_name("measured.tsv")
    with path.open(encoding="utf-8") as file:
        lines = (line for line in file if not line.startswith("#"))
        return tuple(_row(entry) for entry in csv.DictReader(lines, delimiter="\t"))


def _row(entry: dict[str, str]) -> Row:
    ranks, nodes = int(entry["ranks_per_node"]), int(entry["nodes"])
    options = entry["options"].split()
    nics = next((option.removeprefix("nics=") for option in options if option.startswith("nics=")), None)
    name = entry["system"]
    if name.startswith("gpu:"):
        hardware = given_hardware(gpu=name.removeprefix("gpu:"), gpus_per_node=ranks, nics=nics)
    else:
        hardware = given_hardware(system=name, nics=nics)
    assert hardware is not None
    forced = next((option for option in options if option in ("ring", "tree", "nvlstree")), None)
    case = Case(entry["collective"], ranks * nodes, nodes, hardware, algorithm=forced)
    if "no-nvls" in options:
        case = replace(case, nvls=False)
    prediction = predict(case)
    assert isinstance(prediction, Prediction), (entry, prediction.sentence)
    return Row(int(entry["row"]), entry["status"], float(entry["busbw_gbs"]), parse_size(entry["size"]), prediction)


def _of(status: str) -> list[Row]:
    return [row for row in rows() if row.status == status]


def test_healthy_rows_lie_in_their_band() -> None:
    low = [row.number for row in _of("healthy") if row.busbw_gbs < row.prediction.expected.low]
    high = [row.number for row in _of("healthy") if row.busbw_gbs > row.prediction.ceiling]
    assert (low, high) == ([], [])
    assert len(_of("healthy")) >= 110


def test_degraded_rows_lie_below_it() -> None:
    inside = [row.number for row in _of("degraded") if row.busbw_gbs >= row.prediction.expected.low]
    assert inside == []
    assert len(_of("degraded")) >= 10


def test_impossible_row_is_called_impossible() -> None:
    for row in _of("impossible"):
        judgement, words = row.prediction.judge(row.busbw_gbs)
        assert judgement == "above-bound"
        assert "more than this hardware can carry" in words


def test_few_healthy_rows_are_even_suspicious() -> None:
    suspicious = [row.number for row in _of("healthy") if row.busbw_gbs < row.prediction.warn]
    assert len(suspicious) <= 0.1 * len(_of("healthy")), suspicious


def test_typical_values_are_typical() -> None:
    """The median of measured over expected is 1 within 2 %, and nine in ten are within 12 %."""
    ratios = sorted(row.busbw_gbs / row.prediction.expected.value for row in _of("healthy"))
    assert ratios[len(ratios) // 2] == pytest.approx(1.0, abs=0.02)
    near = [ratio for ratio in ratios if abs(ratio - 1) <= 0.12]
    assert len(near) >= 0.9 * len(ratios), ratios


def test_sizes_of_healthy_rows_reach_the_plateau() -> None:
    """The knee is known to a factor of two: at its lower end every healthy row of 4 GiB and more is on the plateau."""
    for row in _of("healthy"):
        if row.size_bytes is not None and row.size_bytes >= 4 << 30:
            half = half_peak_size(row.prediction)
            assert share_at(row.size_bytes, half.low) > 0.8, row.number
