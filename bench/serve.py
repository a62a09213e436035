"""How fast ``slowlink serve`` answers a team: ``python bench/serve.py [RUNS] [READERS]``.

A history of 10,000 runs is made: 1,000 nodes in sets of 16, each set measured again and again, with whole reports of
simulated clusters. Then 50 readers open pages at random, each waiting for its page before it asks for the next; first
with a look at each page (2 s on average), then without any. Milliseconds until the last byte, on whatever else the
machine does meanwhile.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from slowlink.nodes import expand, fold
from slowlink.report.json import plain_json, report_from_json
from slowlink.store import schema
from slowlink.store.connect import Store, open_store
from slowlink.store.write import save
from slowlink.workflows.analyze import analyze
from slowlink.workflows.history.record import Origin, record_of

RUNS, READERS, SETS, NODES = 10_000, 50, 62, 16
LOOK_S, SECONDS = 2.0, 20.0
HOUR_S = 3600.0
FAULTS = ((), ("--fault", "node07:hca-slow=0.5"), ("--fault", "node03:gpu-throttled=0.75"))


def reports(folder: Path) -> list[str]:
    """As JSON: a sound cluster, one with a slow HCA, one with a hot GPU, and the pairs of the second."""
    found = []
    for number, faults in enumerate(FAULTS):
        place = folder / f"cluster{number}"
        subprocess.run([sys.executable, "-m", "slowlink", "simulate", place, *faults], check=True, capture_output=True)
        evidence = place / "evidence"
        found.append(plain_json(analyze([str(evidence / "job.log"), str(evidence / "nodes")])))
    found.append(plain_json(analyze(str(folder / "cluster1" / "evidence" / "pairs"))))
    return found


def fill(place: str, runs: int) -> None:
    """One report of each kind for each set of nodes is kept as users do; its repetitions go in in bulk."""
    chance = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder, closing(open_store(place, create=True)) as store:
        kinds = reports(Path(folder))
        newest = time.time()
        for number in range(SETS):
            for kind, text in enumerate(kinds):
                if kind == 0 or number % 10 == kind:
                    _keep(store, text, number, kind, newest - HOUR_S * (number % 24))
        _repeat(store, runs, newest, chance)


def _keep(store: Store, text: str, number: int, kind: int, at: float) -> None:
    names = {f"node{node:02d}": f"gpu{number * NODES + node:04d}" for node in range(1, NODES + 1)}
    renamed = re.sub(r"node\d\d", lambda found: names.get(found[0], found[0]), text)
    sets = re.compile(r"node\[[\d,-]+\]")
    renamed = sets.sub(lambda found: fold(names.get(node, node) for node in expand(found[0])), renamed)
    command = ("run", "run", "snapshot", "isolate")[kind]
    save(
        store, record_of(report_from_json(json.loads(renamed)), Origin(command, at=at, identity=f"{number} {kind}"), at)
    )


def _repeat(store: Store, runs: int, newest: float, chance: np.random.Generator) -> None:
    with store.reading() as connection:
        first = [dict(row) for row in connection.execute(schema.runs.select()).mappings()]
        launches: dict[int, list[dict[str, object]]] = {}
        for row in connection.execute(schema.sweeps.select()).mappings():
            launches.setdefault(row["run_id"], []).append(dict(row))
        found = [dict(row) for row in connection.execute(schema.findings.select()).mappings()]
        documents = {row.run_id: row.document for row in connection.execute(schema.reports.select())}
    tables: dict[str, list[dict[str, object]]] = {"runs": [], "sweeps": [], "findings": [], "reports": []}
    sweep_number = 10_000_000
    for number in range(len(first), runs):
        like = first[int(chance.integers(len(first)))]
        at = newest - HOUR_S * (24 + number / 4)
        tables["runs"].append({**like, "id": 100_000 + number, "content": f"{number:064d}", "at": at})
        for launch in launches.get(like["id"], [])[:2]:
            sweep_number += 1
            noise = float(np.exp(0.01 * chance.standard_normal()))
            plateau = launch["plateau_busbw_gbs"]
            value = plateau * noise if isinstance(plateau, float) else None
            new = {"id": sweep_number, "run_id": 100_000 + number, "at": at, "plateau_busbw_gbs": value}
            tables["sweeps"].append({**launch, **new})
        tables["findings"] += [{**each, "run_id": 100_000 + number} for each in found if each["run_id"] == like["id"]]
        tables["reports"].append({"run_id": 100_000 + number, "document": documents[like["id"]]})
    with store.writing() as connection:
        for name, rows in tables.items():
            connection.execute(schema.metadata.tables[name].insert(), rows)


class Reader:
    """Opens pages at random, as people do who look for something."""

    def __init__(self, runs: list[int], seed: int) -> None:
        self._chance = random.Random(seed)
        self._runs = runs

    def address(self) -> tuple[str, str]:
        """(kind, address)."""
        chance = self._chance
        kind = chance.choices(["fleet", "runs", "run", "history", "compare"], [4, 3, 5, 2, 1])[0]
        run, other = chance.choice(self._runs), chance.choice(self._runs)
        number = NODES * chance.randrange(SETS)
        nodes = f"gpu[{number + 1:04d}-{number + NODES:04d}]"
        choice: dict[str, Callable[[], str]] = {
            "fleet": lambda: chance.choice(["/", "/", "/?state=degraded", "/?rows=each", f"/?nodes={nodes}&rows=each"]),
            "runs": lambda: chance.choice(
                ["/runs", f"/runs?nodes={nodes}", "/runs?verdict=degraded", f"/runs?before={1.7e9:.1f}_{run}"]
            ),
            "run": lambda: f"/runs/{run}",
            "history": lambda: chance.choice(["/history", f"/history?nodes={nodes}"]),
            "compare": lambda: f"/compare?a={run}&b={other}",
        }
        return kind, choice[kind]()


async def _read(port: int, reader: Reader, look_s: float, until: float, took: list[tuple[str, float]]) -> None:
    streams = None
    chance = random.Random(id(reader))
    await asyncio.sleep(chance.random() * look_s)
    while time.monotonic() < until:
        kind, address = reader.address()
        begun = time.perf_counter()
        if streams is None or streams[1].is_closing() or streams[0].at_eof():
            streams = await asyncio.open_connection("127.0.0.1", port)
        status = await _get(*streams, address)
        took.append((kind, time.perf_counter() - begun))
        assert status == 200, (address, status)
        if look_s:
            await asyncio.sleep(chance.expovariate(1 / look_s))
    if streams is not None:
        streams[1].close()


async def _get(answer: asyncio.StreamReader, asking: asyncio.StreamWriter, address: str) -> int:
    asking.write(f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    head = await answer.readuntil(b"\r\n\r\n")
    found = re.search(rb"content-length: (\d+)", head)
    assert found is not None
    await answer.readexactly(int(found[1]))
    return int(head.split(b" ", 2)[1])


async def readers(port: int, runs: list[int], count: int, look_s: float) -> list[tuple[str, float]]:
    """(kind, seconds) of each page."""
    took: list[tuple[str, float]] = []
    until = time.monotonic() + SECONDS
    await asyncio.gather(*(_read(port, Reader(runs, seed), look_s, until, took) for seed in range(count)))
    return took


@contextmanager
def serving(place: str) -> Iterator[int]:
    """The port of a server in a process of its own."""
    words = [sys.executable, "-m", "slowlink", "serve", "--listen", "127.0.0.1:0", "--store", place]
    running = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    try:
        assert running.stderr is not None
        found = re.search(r":(\d+)/", running.stderr.readline())
        assert found is not None
        yield int(found[1])
    finally:
        running.terminate()
        running.wait(30)


def measure(place: str, count: int, looks_s: tuple[float, ...] = (LOOK_S, 0.0)) -> None:
    """Prints a table for each way of reading; processor seconds are those of the server."""
    with closing(open_store(place, create=False)) as store, store.reading() as connection:
        numbers = list(connection.execute(schema.runs.select().with_only_columns(schema.runs.c.id)).scalars())
    for look_s in looks_s:
        before = os.times()
        with serving(place) as port:
            asyncio.run(first(port, numbers[0]))
            took = asyncio.run(readers(port, numbers, count, look_s))
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        look = f"a look of {look_s:g} s" if look_s else "no look"
        print(
            f"{count} readers, {look} at each: {len(took) / SECONDS:.0f} pages a second, {used / SECONDS:.0%} of a "
            "core for the server"
        )
        for kind in (*dict.fromkeys(kind for kind, _ in sorted(took)), ""):
            times = np.array([seconds for name, seconds in took if kind in ("", name)]) * 1e3
            p50, p95, most = (float(value) for value in (*np.percentile(times, [50, 95]), times.max()))
            print(f"  {kind or 'all':8} {len(times):6}  p50 {p50:6.0f}  p95 {p95:6.0f}  most {most:6.0f} ms")


async def first(port: int, run: int) -> None:
    """One look at each kind of page; milliseconds of the first."""
    streams = await asyncio.open_connection("127.0.0.1", port)
    begun = time.perf_counter()
    await _get(*streams, "/")
    print(f"\nthe first page of a new server: {(time.perf_counter() - begun) * 1e3:.0f} ms")
    for address in ("/runs", f"/runs/{run}", "/history", f"/compare?a={run}&b={run}"):
        await _get(*streams, address)
    streams[1].close()


def main() -> None:
    """A store for a while, and the tables."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    count = int(sys.argv[2]) if len(sys.argv) > 2 else READERS
    with tempfile.TemporaryDirectory() as folder:
        place = str(Path(folder, "h.sqlite"))
        begun = time.perf_counter()
        fill(place, runs)
        print(f"{runs:,} runs, {Path(place).stat().st_size / 1e6:.0f} MB, made in {time.perf_counter() - begun:.0f} s")
        measure(place, count)


if __name__ == "__main__":
    main()
