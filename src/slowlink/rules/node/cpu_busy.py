"""The processors of a node are taken by something else.

top, ps or pidstat show a benchmark or a stress test that takes many cores beside other programs; uptime shows a load
far above that of the other nodes; mpstat shows time that the host of a virtual machine kept for others (``steal``), or
one processor that does nothing but software interrupts. Or there is more to do than the node has processors: more tasks
are ready to run, the load is higher, or ``/proc/pressure/cpu`` says that some wait most of the time. Two of these, or
one beside processors that are never idle, or beside programs of several people, are an error; one alone is possible.
Whose programs they are is told where top or ps show it, and who of them has no job there where squeue lists the jobs.

Why it matters: the threads that launch kernels and drive the network wait for a processor, and their collective waits.
How to confirm: ``top -b -n 1 -o %CPU | head -20`` on that node and on another one, while the job runs.
What to do: end what does not belong there; give ranks cores of their own; spread interrupts (``irqbalance``, the HCA's
affinity script); on a virtual machine ask who else is on the host.
When it is wrong: the load counts processes that wait for a disk or a file server, too; a rank may rightly use many
cores for its data. A load that is high on all nodes alike is that of the job.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.averages import median
from slowlink.catalog.programs.stress_tests import suite_of
from slowlink.facts.readings import by_node, by_part, latest, name_of_node
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import finding
from slowlink.rules.evidence.messages import counted, listed
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence
from slowlink.rules.node.processor_want import Limits, ProcessorUse, Takers, owners_of, shared, takers, wants

CAUSES = ("cpu-busy",)

_LOOK = ("See who takes the processors.", "top -b -n 1 -o %CPU | head -20")


class Params(Struct, frozen=True):
    """When processors are busy."""

    times_usual: float = 5.0
    """Load of a node over the median of all, which must be three or more."""
    least_load: float = 32.0
    least_stolen: float = 5.0
    """Percent of the time."""
    least_interrupts: float = 80.0
    """Percent of one processor's time."""
    many_cores: float = 1_000.0
    """Percent of one core: what is no rank and takes ten."""
    tasks_a_processor: float = 1.25
    """Tasks that are ready to run, or the load, for each processor: from there on some wait all the time."""
    never_idle: float = 2.0
    """Percent of the time in which processors are idle, at most."""
    least_waiting: float = 50.0
    """Percent of the last minute in which some task waited for a processor."""


def check(
    processes: Annotated[Readings, Of("process-share")] | None,
    loads: Annotated[Readings, Of("load-average")] | None,
    stolen: Annotated[Readings, Of("cpu-stolen")] | None,
    interrupts: Annotated[Readings, Of("cpu-soft-interrupts")] | None,
    use: ProcessorUse | None,
    who: Takers | None,
    params: Params,
) -> Iterator[Finding]:
    """One finding each for programs, processors that are short, loads, stolen time and interrupts."""
    if processes is not None:
        yield from _programs(processes, params)
    short = list(_short(use, who, params)) if use is not None else []
    yield from short
    if loads is not None and not short:
        yield from _loads(list(latest(loads.all).values()), params)
    taken = _steady(stolen, params.least_stolen)
    if taken:
        share = max(float(reading.value) for reading in taken)
        yield _finding(taken, f"the host of this virtual machine kept {share:.0f} % of the processors' time", "likely")
    single = _steady(interrupts, params.least_interrupts)
    if single:
        names = listed(sorted({reading.part.name for reading in single}, key=int))
        yield _finding(single, f"processor {names} does next to nothing but software interrupts", "possible")


def _programs(processes: Readings, params: Params) -> Iterator[Finding]:
    """Benchmarks and stress tests, beside something else that works."""
    shares = {reading: float(reading.value) for reading in processes.all}
    names = {_program(reading) for reading in shares}
    tests = [r for r, share in shares.items() if suite_of(_program(r)) is not None and share >= params.many_cores]
    others = [name for name in names if suite_of(name) is None and not name.startswith("kswapd")]
    if tests and others:
        worst = max(tests, key=lambda reading: shares[reading])
        yield _finding(
            tests,
            f"{_program(worst)} takes {shares[worst] / 100:.0f} cores beside {listed(sorted(others))}",
            "likely",
            "error",
        )


def _short(use: Readings, who: Readings | None, params: Params) -> Iterator[Finding]:
    """One finding for each node whose tasks wait for processors."""
    limits = Limits(params.never_idle, params.tasks_a_processor, params.least_waiting, params.least_load)
    of_node, owners = by_node(who.all if who is not None else ()), owners_of(who)
    for want in wants(use, limits):
        here = of_node.get(want.node, ())
        words, lines = takers(here, owners)
        sure = want.sure or shared(here)  # a job that fills its node has it alone
        yield _finding(
            [*want.readings, *lines],
            f"{want.words}{words}",
            "likely" if sure else "possible",
            "error" if sure else "warning",
        )


def _program(reading: Reading) -> str:
    return reading.part.name.rpartition(" ")[0]


def _loads(now: Sequence[Reading], params: Params) -> Iterator[Finding]:
    known = [reading for reading in now if name_of_node(reading)]
    if len(known) < 3:
        return
    middle = median(float(reading.value) for reading in known)
    least = max(params.least_load, params.times_usual * middle)
    high = [reading for reading in known if float(reading.value) > least]
    if high and 2 * len(high) < len(known):
        load = max(float(reading.value) for reading in high)
        yield _finding(high, f"a load of {load:.0f}; the median of {counted(len(known), 'node')} is {middle:.0f}")


def _steady(readings: Readings | None, least: float) -> list[Reading]:
    """The last reading of each part that most of its samples confirm."""
    series = by_part(readings.all).values() if readings is not None else ()
    return [each[-1] for each in series if median(float(reading.value) for reading in each) >= least]


def _finding(
    bad: Sequence[Reading], words: str, confidence: Confidence = "possible", severity: Severity = "warning"
) -> Finding:
    return finding(
        "cpu-busy",
        f"{on_nodes(bad)}{words}",
        severity=severity,
        confidence=confidence,
        evidence=reading_evidence(bad, most=6),
        suspects=node_suspects(bad),
        explains=("straggler-node", "bandwidth-unstable", "latency-high", "pace-drops"),
        remedy=[_LOOK],
    )
