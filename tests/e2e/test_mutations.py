"""Damaged logs: whatever happens to its lines and bytes, a log breaks no rule and gives no number that is not in it.

Over our own jobs always; over the labelled corpus where it lies beside the checkout.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from slowlink.inputs import Input
from slowlink.model.report import Report
from slowlink.parsers.reading.read import read
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster
from slowlink.workflows.analyze import report_of

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
KINDS = ("nccl-tests", "nccl-debug", "perftest", "mixed")
LARGEST = 60_000
"""Bytes of a file that are mutated: beyond, more of the same follows."""
SMALL = LoggedCluster(hosts=("node06", "node07"), gpus=2)
JOBS = {
    "sick": SimulatedJob(replace(SMALL, hosts_without_gdr=frozenset({"node07"})), plateau_gbs=9.4),
    "tagged": SimulatedJob(SMALL, prefix="mpirun --tag-output", cycles=2, slow_every=5),
    "wrong": SimulatedJob(SMALL, wrong={1 << 30: 7}, layout="2.19.6"),
    "socket": SimulatedJob(replace(SMALL, network="Socket", gdr=False), layout="2.0", plateau_gbs=2.1),
}
FOREIGN = (
    "node07:4000:4100 [0] NCCL INFO Channel 00/0 : 1[1] -> 0[0] [receive] via NET/IB/0",
    "node07:4000:4100 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.1<0> with status=12 opcode=0 len=0 vendor err 129",
    "   134217728      33554432     float     sum      -1",
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong",
    "srun: error: node07: task 9: Killed",
)


def drop(lines: list[str], chance: random.Random) -> list[str]:
    return [line for line in lines if chance.random() > 0.1]


def double(lines: list[str], chance: random.Random) -> list[str]:
    return [line for line in lines for _ in range(1 if chance.random() > 0.1 else 2)]


def swap(lines: list[str], chance: random.Random) -> list[str]:
    swapped = list(lines)
    for _ in range(max(len(lines) // 20, 1)):
        one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
        swapped[one], swapped[two] = swapped[two], swapped[one]
    return swapped


def cut(lines: list[str], chance: random.Random) -> list[str]:
    """Some lines lose their end, and the text its last part."""
    shortened = [line if chance.random() > 0.1 else line[: chance.randrange(len(line) + 1)] for line in lines]
    return shortened[: chance.randrange(len(lines) // 2, len(lines) + 1)]


def flip(lines: list[str], chance: random.Random) -> list[str]:
    text = list("\n".join(lines))
    for _ in range(max(len(text) // 300, 1)):
        text[chance.randrange(len(text))] = chr(chance.choice((0, 9, 10, 32, 35, 45, 48, 57, 91, 123, 0x2588)))
    return "".join(text).split("\n")


def insert(lines: list[str], chance: random.Random) -> list[str]:
    """Other lines between them, and in the middle of them."""
    mixed: list[str] = []
    for line in lines:
        if chance.random() < 0.1:
            foreign = chance.choice(FOREIGN)
            middle = chance.randrange(len(line) + 1)
            mixed += [foreign, line] if chance.random() < 0.5 else [line[:middle] + foreign, line[middle:]]
        else:
            mixed.append(line)
    return mixed


MUTATIONS: tuple[Callable[[list[str], random.Random], list[str]], ...] = (drop, double, swap, cut, flip, insert)
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?")


def assert_honest(text: str) -> Report:
    report = report_of(read([Input("job.log", None, [text.encode()])], workers=1))
    assert [(o.rule, o.reason) for o in report.outcomes if o.outcome == "broken"] == []
    # The reader takes NULs for holes in a file and closes them.
    printed = {float(number) for number in _NUMBER.findall(text.replace("\0", ""))}
    points = [point for sweep in report.sweeps for point in sweep.points if point.doubt is None]
    assert [p for p in points if p.busbw_gbs is not None and p.busbw_gbs not in printed] == []
    assert all(math.isfinite(p.busbw_gbs) for p in points if p.busbw_gbs is not None)
    return report


@pytest.mark.parametrize("mutate", MUTATIONS)
@pytest.mark.parametrize("name", sorted(JOBS))
def test_our_own_jobs(name: str, mutate: Callable[[list[str], random.Random], list[str]]) -> None:
    lines = job_log(JOBS[name]).splitlines()
    whole = {p.busbw_gbs for sweep in assert_honest("\n".join(lines)).sweeps for p in sweep.points}
    for seed in range(4):
        damaged = assert_honest("\n".join(mutate(lines, random.Random(seed))))
        known = {p.busbw_gbs for sweep in damaged.sweeps for p in sweep.points if p.doubt is None}
        if mutate in (drop, double, swap):
            assert known <= whole, "lines that are whole give the numbers of the whole log"


def _samples() -> list[Path]:
    return [path for kind in KINDS for path in sorted((CORPUS / kind).rglob("*")) if path.is_file()]


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.is_dir(), reason="no labelled corpus beside the checkout")
@pytest.mark.parametrize("path", _samples(), ids=lambda path: path.relative_to(CORPUS).as_posix())
def test_the_corpus(path: Path) -> None:
    lines = path.read_bytes()[:LARGEST].decode("utf-8", "replace").splitlines()
    chance = random.Random(path.name)
    # Every file meets every damage, three of them at a time: the corpus is large, and each reading takes its time.
    order = chance.sample(MUTATIONS, len(MUTATIONS))
    for damages in (order[:3], order[3:]):
        damaged = lines
        for mutate in damages:
            damaged = mutate(damaged, chance)
        assert_honest("\n".join(damaged))
