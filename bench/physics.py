"""Compares ``slowlink expect`` with published results: error, rows outside the band, rows above the bound.

    python bench/physics.py [ROWS.tsv] [--half seen|unseen] [--verbose]
    python bench/physics.py --published > src/slowlink/catalog/published.toml

The rows lie in two halves by a hash of the row. Constants may be chosen with the seen half in sight and with
tests/expect/measured.tsv; the unseen half is only counted. ``above`` is more than the bound and 2 % of noise.
``--published`` counts the healthy results behind each class of bounds: those with which the bands were set.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from slowlink.catalog.given import given_hardware
from slowlink.expect.busbw import Prediction, predict
from slowlink.expect.case import ALGORITHMS, Case

ROWS = Path(__file__).with_name("physics_rows.tsv")
USED = Path(__file__).parents[1] / "tests" / "expect" / "measured.tsv"
HALVES = ("seen", "unseen")
_NOISE = 1.02
_HEAD = """\
# How many published healthy results stand behind the shares of a class (bands.toml), or of a GPU or system that has
# its own, and where the lowest and the highest of them lie, as shares of what is typical.
# Written by: python bench/physics.py --published
"""
_STATUSES = ("healthy", "slow", "unknown")


class Row(Struct, frozen=True):
    """One published result beside its prediction."""

    entry: dict[str, str]
    prediction: Prediction | None

    @property
    def half(self) -> str:
        """``seen`` or ``unseen``: by a hash of what was measured, so that no order or class decides."""
        text = "|".join(value for name, value in self.entry.items() if name not in ("row", "status"))
        return HALVES[int(hashlib.sha256(text.encode()).hexdigest()[0], 16) % 2]

    @property
    def measured(self) -> float:
        return float(self.entry["busbw_gbs"])

    @property
    def ratio(self) -> float:
        """Measured over expected."""
        assert self.prediction is not None
        return self.measured / self.prediction.expected.value

    @property
    def place(self) -> str:
        """``in`` the band, ``below`` it, ``above`` the bound and its noise, or ``none``: no prediction."""
        if self.prediction is None:
            return "none"
        expected = self.prediction.expected
        if self.measured > _NOISE * expected.high:
            return "above"
        return "below" if self.measured < expected.low else "in"


def read_rows(path: Path) -> list[Row]:
    """The table with what slowlink expects for each row."""
    with path.open(encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    return [Row(entry, _predict(entry)) for entry in csv.DictReader(lines, delimiter="\t")]


def _predict(entry: dict[str, str]) -> Prediction | None:
    options = entry["options"].split()
    told = dict(option.split("=", 1) for option in options if "=" in option)
    ranks, nodes = int(entry["ranks_per_node"]), int(entry["nodes"])
    kind, _, name = entry["system"].rpartition(":")
    hardware = given_hardware(
        system=None if kind else name,
        gpu=name if kind else None,
        gpus_per_node=ranks if kind else None,
        nics=told.get("nics"),
        link=told.get("link"),
    )
    assert hardware is not None
    case = Case(entry["collective"], ranks * nodes, nodes, hardware)
    case = replace(
        case,
        algorithm=next((option for option in options if option in ALGORITHMS), None),
        nvls=False if "no-nvls" in options else None,
        gdr=False if "no-gdr" in options else None,
        sockets="sockets" in options,
    )
    found = predict(case)
    return found if isinstance(found, Prediction) else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table of errors; with ``--verbose`` every row."""
    parser = argparse.ArgumentParser(description="Compare expectations with published results.")
    parser.add_argument("rows", nargs="?", type=Path, default=ROWS)
    parser.add_argument("--half", choices=HALVES, help="only this half")
    parser.add_argument("--verbose", action="store_true", help="every row of the seen half, or of --half")
    parser.add_argument("--published", action="store_true", help="print catalog/published.toml")
    given = parser.parse_args(arguments)
    if given.published:
        print(published(), end="")
        return 0
    rows = [row for row in read_rows(given.rows) if given.half in (None, row.half)]
    print(f"{'half':8}{'status':9}{'rows':>5}{'in':>5}{'below':>7}{'above':>7}{'none':>6}{'median':>9}{'90th':>8}")
    for half in HALVES:
        for status in _STATUSES:
            print_line(half, status, [row for row in rows if row.half == half and row.entry["status"] == status])
    for status in _STATUSES:
        print_line("both", status, [row for row in rows if row.entry["status"] == status])
    if given.verbose:
        print_rows(row for row in rows if row.half == (given.half or "seen"))
    return 0


def published() -> str:
    """Class -> healthy results: how many, and where the lowest and the highest lie as shares of what is typical."""
    rows = read_rows(USED) + [row for row in read_rows(ROWS) if row.half == "seen"]
    ratios: dict[str, list[float]] = {}
    for row in rows:
        if row.entry["status"] == "healthy" and row.prediction is not None:
            found = row.prediction.chosen
            ratios.setdefault(found.band.key, []).append(row.measured / found.typical)
    lines = [_HEAD]
    for key, found_ratios in sorted(ratios.items()):
        low, high = min(found_ratios), max(found_ratios)
        lines.append(f'["{key}"]\nrows = {len(found_ratios)}\nlow = {low:.3f}\nhigh = {high:.3f}\n')
    return "\n".join(lines)


def print_line(half: str, status: str, rows: Sequence[Row]) -> None:
    """Counts, and errors |measured / expected - 1| of the rows that have a prediction."""
    if not rows:
        return
    counts = [sum(row.place == place for row in rows) for place in ("in", "below", "above", "none")]
    errors = sorted(abs(row.ratio - 1) for row in rows if row.prediction is not None)
    middle = f"{median(errors):9.1%}{_ninth(errors):8.1%}" if errors else ""
    print(f"{half:8}{status:9}{len(rows):5}{counts[0]:5}{counts[1]:7}{counts[2]:7}{counts[3]:6}{middle}")


def _ninth(errors: Sequence[float]) -> float:
    """The 90th percentile, interpolated."""
    place = 0.9 * (len(errors) - 1)
    low = int(place)
    high = min(low + 1, len(errors) - 1)
    return errors[low] + (place - low) * (errors[high] - errors[low])


def print_rows(rows: Iterable[Row]) -> None:
    """Every row with its band."""
    for row in rows:
        entry, found = row.entry, row.prediction
        name = f"{entry['row']:>4} {entry['status']:8} {entry['system']:22} {entry['ranks_per_node']}x{entry['nodes']}"
        about = f"{name:44} {entry['collective']:14} {entry['size']:>5} {row.measured:8.2f}"
        if found is None:
            print(f"{about}  no prediction")
            continue
        band = f"{found.expected.low:8.1f}{found.expected.value:8.1f}{found.expected.high:8.1f}"
        print(f"{about} {band} {row.place:6}{row.ratio:6.2f} {found.chosen.band.name}  {entry['options']}")


if __name__ == "__main__":
    sys.exit(main())
