"""What the history costs, and how often it is wrong: ``python bench/history.py [RUNS] [--cost]``.

First a store of 100,000 runs is made (in bulk, as no user would), then listed and plotted: processor seconds of the
whole command, without those of a server. As a file of SQLite, and on a PostgreSQL of our own where one is installed.
Then, without ``--cost``, how often series of one level are called changed, by their length, noise and memory, and how
often a loss is found.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from history_records import KEY, START, record
from postgresql_server import server
from slowlink.comparison.baseline import against_baseline
from slowlink.expect.baseline import Tolerated
from slowlink.expect.change_points import change_points
from slowlink.model.baseline import Baseline, BaselineName, LaunchValues, MeasuredSeries
from slowlink.store import schema
from slowlink.store.connect import Store, open_store
from slowlink.store.write import save

RUNS = 100_000
HOUR_S = 3600.0
SERIES = 2000


def fill(place: str, runs: int) -> None:
    """All of one question, an hour apart: the plot of one series has them all."""
    chance = np.random.default_rng(0)
    with closing(open_store(place, create=True)) as store:
        begun = process_time()
        first = min(save(store, record(-number - 1)).run_id for number in range(50))
        print(f"  a report is kept in {(process_time() - begun) / 50 * 1e3:.1f} ms of processor time")
        with store.reading() as connection:
            row = dict(connection.execute(schema.runs.select().where(schema.runs.c.id == first)).mappings().one())
            launch = dict(
                connection.execute(schema.sweeps.select().where(schema.sweeps.c.run_id == first)).mappings().one()
            )
        _bulk(store, row, launch, 350 * np.exp(0.01 * chance.standard_normal(runs)))


def _bulk(store: Store, row: dict[str, object], launch: dict[str, object], values: np.ndarray) -> None:
    runs, sweeps = [], []
    for number, value in enumerate(values.tolist(), 1000):
        at = START + number * HOUR_S
        runs.append({**row, "id": number, "content": f"{number:064d}", "at": at, "peak_busbw_gbs": value})
        sweeps.append({**launch, "id": number, "run_id": number, "at": at, "plateau_busbw_gbs": value})
    with store.writing() as connection:
        connection.execute(schema.runs.insert(), runs)
        connection.execute(schema.sweeps.insert(), sweeps)


def cost(*arguments: str) -> tuple[float, float]:
    """Processor seconds and seconds of one command."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    subprocess.run([sys.executable, "-m", "slowlink", *arguments], stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, perf_counter() - begun


def alarms(length: int, noise: Callable[[np.random.Generator], np.ndarray], series: int = SERIES) -> float:
    """Share of series that are called changed."""
    found = 0
    for seed in range(series):
        found += bool(change_points(list(350 * np.exp(0.01 * noise(np.random.default_rng(seed))[:length]))))
    return found / series


def with_memory(share: float, length: int) -> Callable[[np.random.Generator], np.ndarray]:
    """Noise of which ``share`` is what it was the time before."""

    def made(chance: np.random.Generator) -> np.ndarray:
        values = chance.standard_normal(length)
        for place in range(1, length):
            values[place] = share * values[place - 1] + (1 - share**2) ** 0.5 * values[place]
        return values

    return made


def nightly(length: int, series: int = 200) -> float:
    """Share of series that are called changed at any look, where each value from the eighth on is followed by one."""
    found = 0
    for seed in range(series):
        values = list(350 * np.exp(0.01 * np.random.default_rng(seed).standard_normal(length)))
        found += any(change_points(values[:end]) for end in range(8, length + 1))
    return found / series


def power(loss: float, at: int, length: int = 30, series: int = 500) -> float:
    """Share of planted losses that are found, within two values of where they are."""
    found = 0
    for seed in range(series):
        values = 350 * np.exp(0.01 * np.random.default_rng(seed).standard_normal(length))
        values[at:] *= 1 - loss
        found += any(abs(change.index - at) <= 2 and change.ratio < 1 for change in change_points(list(values)))
    return found / series


def against(level: float, new: int, old: int = 15, series: int = 1000) -> dict[str, float]:
    """Share of comparisons of ``new`` runs at ``level`` with a baseline of ``old`` by outcome; 24 sizes, noise 1 %."""
    found: dict[str, int] = {}
    about = BaselineName(1, "bench", 1, 0.0, False, "")
    for seed in range(series):
        chance = np.random.default_rng(seed)
        before, after = _launches(chance, old, 1.0), _launches(chance, new, level)
        baseline = Baseline(about, (1,), (MeasuredSeries(KEY, before),))
        outcome = against_baseline(baseline, [MeasuredSeries(KEY, after)], Tolerated()).outcome
        found[outcome] = found.get(outcome, 0) + 1
    return {outcome: count / series for outcome, count in found.items()}


def _launches(chance: np.random.Generator, count: int, level: float) -> tuple[LaunchValues, ...]:
    """Noise is mostly that of the whole launch, 1 %; each size adds 0.3 % of its own."""
    found = []
    for run in range(count):
        values = 350 * level * np.exp(0.01 * chance.standard_normal() + 0.003 * chance.standard_normal(24))
        sizes = {1 << (11 + place): float(value) for place, value in enumerate(values)}
        found.append(LaunchValues(run, float(np.median(values[-3:])), None, sizes, {}))
    return tuple(found)


@contextmanager
def places() -> Iterator[list[tuple[str, str]]]:
    """(which database, where)."""
    with tempfile.TemporaryDirectory() as directory:
        found = [("SQLite", str(Path(directory, "h.sqlite")))]
        try:
            with server() as url:
                yield [*found, ("PostgreSQL", url)]
        except pytest.skip.Exception as reason:
            print(f"  without PostgreSQL: {reason}")
            yield found


def costs(runs: int) -> None:
    with places() as found:
        for name, place in found:
            print(f"{runs:,} runs in {name}:")
            fill(place, runs)
            for words in (["--version"], ["history", "--store", place], ["history", "series", "--store", place]):
                used, seconds = min(cost(*words) for _ in range(3))
                print(
                    f"  slowlink {' '.join(words[:2]):16} {used:.2f} s of processor time, {seconds:.2f} s", flush=True
                )


def main() -> None:
    """Prints tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=int, nargs="?", default=RUNS)
    parser.add_argument("--cost", action="store_true", help="what it costs, and not how often it is wrong")
    given = parser.parse_args()
    costs(given.runs)
    if not given.cost:
        errors()


def errors() -> None:
    print("series of one level that are called changed:")
    for length in (10, 30, 100, 300):
        print(f"  {length} values, normal noise: {alarms(length, lambda chance: chance.standard_normal(300)):.2%}")
    print(f"  30 values, Student's t with 2: {alarms(30, lambda chance: chance.standard_t(2, 300)):.2%}")
    for share in (0.2, 0.5):
        print(f"  30 values, correlation {share} with the one before: {alarms(30, with_memory(share, 30)):.2%}")
    print(f"  looked at each night for 60 nights: {nightly(60):.1%} of series, ever")
    print("losses found in 30 runs with 1 % noise:")
    for loss in (0.01, 0.02, 0.03, 0.05):
        told = ", ".join(f"{30 - at} runs ago {power(loss, at):.0%}" for at in (15, 20, 25, 27))
        print(f"  {loss:.0%}: {told}")
    print("a baseline of 15 runs with 1 % noise, 24 sizes, beside:")
    for level in (1.0, 0.97, 0.95, 0.9):
        for new in (1, 5, 15):
            told = ", ".join(f"{outcome} {part:.1%}" for outcome, part in sorted(against(level, new).items()))
            print(f"  {new} runs at {level - 1:+.0%}: {told}")


if __name__ == "__main__":
    main()
