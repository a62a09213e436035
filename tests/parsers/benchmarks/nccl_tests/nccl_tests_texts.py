"""Made-up runs and their text, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterable

from slowlink.model.benchmark import CollectiveRun
from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.parsers.benchmarks.nccl_tests import PARSER
from slowlink.parsers.forms.interface import Use
from slowlink.simulate.nccl_tests_output import Measured, Node, Run, Step

TWO_NODES = (Node("10-0-1-7", 4100, 8), Node("10-0-1-8", 5200, 8))


def steps(sizes: Iterable[int], *, latency_us: float = 30.0, gbs: float = 180.0) -> tuple[Step, ...]:
    """Sizes with a time of latency + size/bandwidth, in place a little slower."""
    return tuple(
        Step(size, Measured(latency_us + size / gbs / 1e3), Measured(latency_us + size / (gbs * 0.97) / 1e3))
        for size in sizes
    )


def sweep(collective: str = "all_reduce", nodes: tuple[Node, ...] = TWO_NODES, **options: object) -> Run:
    sizes = [1 << power for power in range(13, 34, 2)]
    return Run(collective, nodes, steps(sizes), **options)  # type: ignore[arg-type]


def parse(text: str | list[str]) -> tuple[list[CollectiveRun], list[JobEvent]]:
    """Runs and events of ``text``, read as one stream with nobody else claiming lines."""
    parser = PARSER()
    before = ""
    for number, content in enumerate(text.splitlines() if isinstance(text, str) else text, 1):
        if not content.strip():
            continue
        line = Line("made-up.log", number, content, before=before)
        wanted = parser.wants(content) or parser.greedy
        claimed = wanted and parser.feed(line) is not Use.NOT_MINE
        before = "" if claimed else content
    records = list(parser.finish())
    return (
        [record for record in records if isinstance(record, CollectiveRun)],
        [record for record in records if isinstance(record, JobEvent)],
    )


def one_run(text: str | list[str]) -> CollectiveRun:
    runs, _ = parse(text)
    assert len(runs) == 1
    return runs[0]
