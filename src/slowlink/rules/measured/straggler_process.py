"""One process of nccl-tests takes longer than the others, iteration by iteration.

With ``-I 1 -J file.json`` nccl-tests (2.19.2 or newer) keeps what every iteration took on every process. In each
iteration the processes are compared with the middle one. A process is late there when it takes a tenth longer, and more
than 3.5 standard deviations of the processes, which are estimated from the median absolute deviation (MAD). It is a
straggler when it is late in a tenth of the iterations of a size of 16 MiB or more, three at least, and few others are.

Why it matters: all ranks wait for the late one, and a table of averages shows only that everything is slow.
How to confirm: run again with another order of ranks: a late node stays late, a late position in the ring moves.
Compare clocks, power, temperature and PCIe links of its GPUs with those of their neighbours.
What to do: see what else runs on that node or GPU; drain it if it stays late.
When it is wrong: a process has as many ranks as ``-g`` and ``-t`` say, so it may name several GPUs. Times are of the
GPU's stream: a process that comes late to a kernel that the others have begun shows the shorter time, and no finding.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from slowlink.averages import MADS_PER_SIGMA, median, median_deviation
from slowlink.expect.stats import MAD_FLOOR
from slowlink.facts.repeats import LARGE_BYTES
from slowlink.model.benchmark import ProcessTimes
from slowlink.model.facts import MeasuredSweep, Sweeps
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.messages import listed
from slowlink.units import format_size

CAUSES = ("straggler-gpu", "straggler-node")

_RUN_AHEAD = frozenset({"broadcast", "reduce", "gather", "scatter", "sendrecv"})
"""Collectives in which ranks may run ahead of one another: their times differ by nature."""
"""Median absolute deviation of a normal distribution with a standard deviation of 1."""
_REMEDY = (
    ("See what else runs there, and how its GPUs are clocked.", "nvidia-smi pmon -c 5; nvidia-smi -q -d PERFORMANCE"),
    ("Measure again, every iteration on every rank.", "slowlink run all_reduce --benchmark probe"),
)


class Params(Struct, frozen=True):
    """When a process is late in an iteration, and when it is a straggler."""

    fewest_processes: int = 4
    """With fewer nothing shows which one differs."""
    fewest_iterations: int = 10
    """With fewer, single interruptions weigh too much."""
    z: float = 3.5
    """Robust z above which it is late (Iglewicz and Hoaglin 1993)."""
    least_share: float = 0.1
    """Its time over that of the middle process, less one."""
    late_share: float = 0.1
    """Share of the iterations in which a straggler is late."""
    fewest_late: int = 3
    """Iterations in which it is late."""
    smallest_bytes: int = LARGE_BYTES
    """16 MiB; smaller messages are noisy by nature."""


class _Point(Struct, frozen=True):
    """One size, in or out of place: who was late, how often, and how late at worst."""

    times: Sequence[ProcessTimes]
    iterations: int
    late: Mapping[int, int]
    """Process -> iterations in which it was late."""
    worst: Mapping[int, tuple[float, float]]
    """Process -> its longest late iteration and what the middle process took there, in microseconds."""


def check(sweeps: Sweeps, params: Params) -> Iterator[Finding]:
    """One finding for each sweep: of its points the one where most iterations were late."""
    for sweep in sweeps.all:
        if sweep.collective in _RUN_AHEAD:
            continue
        points = [_point(group, params) for group in _by_point(sweep, params)]
        found = [(point, who) for point in points if (who := _stragglers(point, params))]
        if found:
            yield _finding(sweep, *max(found, key=lambda each: sum(each[0].late[p] for p in each[1])))


def _by_point(sweep: MeasuredSweep, params: Params) -> list[list[ProcessTimes]]:
    groups: dict[tuple[int, str], list[ProcessTimes]] = defaultdict(list)
    for entry in sweep.run.process_times:
        if entry.size_bytes >= params.smallest_bytes and len(entry.times_us) >= params.fewest_iterations:
            groups[entry.size_bytes, entry.placement].append(entry)
    return [group for group in groups.values() if len(group) >= params.fewest_processes]


def _point(group: Sequence[ProcessTimes], params: Params) -> _Point:
    late: Counter[int] = Counter()
    worst: dict[int, tuple[float, float]] = {}
    iterations = min(len(entry.times_us) for entry in group)
    for index in range(iterations):
        values = [entry.times_us[index] for entry in group]
        middle = median(values)
        spread = max(median_deviation(values), MAD_FLOOR * middle)
        for entry, value in zip(group, values, strict=True):
            outlier = MADS_PER_SIGMA * (value - middle) / spread > params.z
            if outlier and value >= (1 + params.least_share) * middle:
                late[entry.process] += 1
                worst[entry.process] = max(worst.get(entry.process, (0.0, 0.0)), (value, middle))
    return _Point(group, iterations, late, worst)


def _stragglers(point: _Point, params: Params) -> list[int]:
    """Where most are late, the others are early, and nobody is accused."""
    least = max(params.fewest_late, params.late_share * point.iterations)
    found = sorted(process for process, count in point.late.items() if count >= least)
    return found if len(found) <= len(point.times) // 4 or len(found) == 1 else []


def _finding(sweep: MeasuredSweep, point: _Point, stragglers: Sequence[int]) -> Finding:
    host_of = {entry.process: entry.host for entry in point.times}
    slow = {host for process in stragglers if (host := host_of[process])}
    hosts = sorted(slow)
    several = len(set(host_of.values())) > 1
    everyone = [process for process, host in host_of.items() if host in slow]
    whole_node = several and len(hosts) == 1 and sorted(everyone) == list(stragglers)
    lead = max(stragglers, key=lambda process: (point.late[process], point.worst[process]))
    value, middle = point.worst[lead]
    entry = next(each for each in point.times if each.process == lead)
    what = "process" if len(stragglers) == 1 else "processes"
    on = f" on {listed(hosts)}" if hosts else ""
    return finding(
        "straggler-node" if whole_node else "straggler-gpu",
        f"{what} {listed([str(process) for process in stragglers])}{on} of {sweep.collective or 'the collective'} at "
        f"{format_size(entry.size_bytes)} took longer than the others in {point.late[lead]} of {point.iterations} "
        f"iterations: up to {value:.0f} us where the middle one took {middle:.0f} us",
        severity="error",
        confidence="likely",
        evidence=[line_evidence(entry.ref, observed=f"process {lead}: {value:.0f} us", expected=f"{middle:.0f} us")],
        suspects=[
            *suspects("process", [] if whole_node else [str(process) for process in stragglers]),
            *suspects("node", hosts if several else ()),
        ],
        explains=["busbw-below-expected", "bandwidth-unstable", "bandwidth-bimodal", "average-hides-variation"],
        remedy=_REMEDY,
    )
