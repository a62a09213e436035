"""A process works on the GPUs of a node, as one look at the node shows.

A stress test or diagnostic (``catalog/programs/stress_tests.toml``) is an error however little of a GPU it takes at
that moment: it comes in bursts. So is a benchmark beside another program on one node, or beside a measurement that
another program made; and a process that keeps the GPUs of less than half of the nodes (of three or more) busy while
those of the others idle. Two processes that share one GPU are a warning, and an error where two programs were seen at
work on it. A process that only holds memory is a note,
and no fault; beside a measurement that another program made it is a warning, for it may have worked meanwhile, and
where its GPU was busy and others of the node were not, an error.

Why it matters: a collective waits for its slowest GPU; a stranger's kernels delay one while its peers wait.
How to confirm: ``nvidia-smi pmon -c 5`` on this node before the benchmark starts, and again on another one.
What to do: find its owner (``ps -o user,etime,cmd -p PID``), end it or drain the node, measure again.
When it is wrong: if the nodes were read during the job, the job's own processes are seen; they are on all its nodes.
A diagnostic on a node that is drained for it disturbs nobody. Jobs share GPUs on purpose, too, best behind MPS.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.catalog.programs.stress_tests import is_stress_test, suite_of
from slowlink.facts.readings import by_attribute, latest, latest_of, name_of_node, node_of, without
from slowlink.model.facts import Of, Readings, Sweeps
from slowlink.model.report import Finding, Severity
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Proof, finding, suspects
from slowlink.rules.evidence.gpu_phrases import number_of_gpus
from slowlink.rules.evidence.messages import listed
from slowlink.rules.evidence.node_readings import on_nodes, reading_evidence

CAUSES = ("gpu-busy",)

_DESKTOP = ("Xorg", "gnome-shell", "nvidia-persiste", "nvidia-smi", "nv-hostengine", "nvidia-cuda-mps")
"""Displays, monitors and MPS's server: on GPUs of every node, and harmless. The kernel cuts names at 15 characters."""
_MPS = "nvidia-cuda-mps"
_SUITE = ("nccl-tests", "rccl-tests", "mccl-tests", "table")
"""``CollectiveRun.tool`` of programs of the suite ``nccl-tests``: what it measures is the job."""
_EXPLAINS = (
    "bandwidth-bimodal",
    "bandwidth-unstable",
    "straggler-node",
    "average-hides-variation",
    "busbw-below-expected",
)
_HELD = "A process holds memory of the GPUs"
_SEE = ("See whose it is, and whether it works.", "nvidia-smi pmon -c 5; ps -o user,etime,comm -p PID")
_KEEP_OUT = ("End it, or keep jobs off the node until it is done; then measure again.", "")
ATTRIBUTES = ("process-name", "process-gpu", "process-gpu-utilisation", "process-gpu-memory", "gpu-utilisation")


class Params(Struct, frozen=True):
    """When a GPU is at work, and when memory is held."""

    busy_percent: float = 10.0
    """Utilisation in % from which somebody is at work; monitors stay below."""
    working_percent: float = 20.0
    """Utilisation in % from which a process takes its turns on a GPU from another one."""
    at_work_percent: float = 80.0
    """Utilisation in % of a GPU, while others of its node have less, from which who holds its memory works on it."""
    held_bytes: int = 1 << 30
    """Bytes of GPU memory of one process from which it is noted; displays and monitors hold less."""


def check(
    state: Annotated[Readings, Of(*ATTRIBUTES)],
    sweeps: Sweeps | None,
    params: Params,
) -> Iterator[Finding | Proof]:
    """Stress tests, then benchmarks beside other work, then work on a minority of nodes, then memory that is held."""
    names = [r for r in latest_of(by_attribute(state, "process-name")) if not str(r.value).startswith(_DESKTOP)]
    stress = [r for r in names if is_stress_test(str(r.value))]
    beside = without(_beside(names, sweeps), stress)
    busy = _busy_nodes(state, params)
    few = 2 * len(busy) < len(_nodes(state)) and len(_nodes(state)) > 2
    others = without((r for r in names if few and r.host in busy), stress, beside)
    told = {*stress, *beside, *others}
    if stress:
        yield _finding(state, stress, "a stress test of the GPUs is at work", "error")
    shared = _on_shared_gpus(state, names, params)
    if beside:
        yield _beside_others(state, beside, names, shared)
    strangers = {gpu: found for gpu, found in shared.items() if not any(r in told for r in found)}
    if others:
        yield _finding(state, others, "the GPUs are at work while those of the other nodes idle", "error")
    if strangers:
        several = [r for found in strangers.values() for r in found]
        at_work = any(_work_at_once(state, found, params) for found in strangers.values())
        words = f"several processes share {_gpus_of(strangers)}"
        yield _finding(state, several, words, "error" if at_work else "warning", "Processes share a GPU")
    held = _holding(state, names, params)
    if held and not _is_the_job(state, held, sweeps) and not (told or strangers):  # else it would only repeat these
        strange = [r for r in held if not _is_of_suite(str(r.value))] if _was_measured(sweeps) else []
        if works := [r for r in strange if _on_a_gpu_at_work(state, r, params)]:
            yield _finding(state, works, "another program works on GPUs that were measured", "error")
        else:
            yield _finding(state, strange or held, "GPU memory is held", "warning" if strange else "info", _HELD)
    use = by_attribute(state, "gpu-utilisation")
    if use and not busy and not held and not stress and all(_value(reading) < params.busy_percent for reading in use):
        yield Proof(f"{number_of_gpus(use)}: idle when looked at", reading_evidence(use, most=1), weight=0)


def _on_shared_gpus(
    state: Readings, names: Sequence[Reading], params: Params
) -> dict[tuple[str | None, str], list[Reading]]:
    """Node and GPU on which several processes hold memory -> these. One job may share each of its GPUs: then there are
    as many of its one name on every GPU."""
    behind_mps = {r.host for r in by_attribute(state, "process-name") if str(r.value).startswith(_MPS)}
    gpus: dict[tuple[str | None, str], set[str]] = {}
    for reading in by_attribute(state, "process-gpu"):
        gpus.setdefault((reading.host, reading.part.name), set()).add(str(reading.value))
    on_gpu: dict[tuple[str | None, str], list[Reading]] = {}
    for r in _holding(state, names, params):
        own = gpus.get((r.host, r.part.name), set())
        if len(own) == 1 and r.host not in behind_mps:  # a process that is on many prepares them for its own ranks
            on_gpu.setdefault((r.host, next(iter(own))), []).append(r)
    alike = {(tuple(sorted({str(r.value) for r in found})), len(found)) for found in on_gpu.values()}
    one_job = len(on_gpu) > 1 and len(alike) == 1 and len(next(iter(alike))[0]) == 1
    return {} if one_job else {gpu: found for gpu, found in on_gpu.items() if len(found) > 1}


def _on_a_gpu_at_work(state: Readings, process: Reading, params: Params) -> bool:
    """Is the GPU busy on which this process holds memory, when nobody measures on it?"""
    mine = {
        str(r.value)
        for r in by_attribute(state, "process-gpu")
        if (r.host, r.part.name) == (process.host, process.part.name)
    }
    uses = latest_of(by_attribute(state, "gpu-utilisation"))
    busy = {r.part.name for r in uses if r.host == process.host and _value(r) >= params.at_work_percent}
    return bool(mine & busy) and len(busy) < sum(r.host == process.host for r in uses)


def _work_at_once(state: Readings, found: Sequence[Reading], params: Params) -> bool:
    """Were processes of several programs seen at work on their one GPU? Without MPS they take turns."""
    uses = {(r.host, r.part.name): _value(r) for r in by_attribute(state, "process-gpu-utilisation")}
    working = [r for r in found if uses.get((r.host, r.part.name), 0.0) >= params.working_percent]
    return len({str(r.value) for r in working}) > 1


def _beside_others(
    state: Readings,
    beside: Sequence[Reading],
    names: Sequence[Reading],
    shared: Mapping[tuple[str | None, str], Sequence[Reading]],
) -> Finding:
    """A benchmark and who shares its GPU; or that it shares none, where the GPUs of all are known."""
    ours = set(beside)
    with_it = {gpu: found for gpu, found in shared.items() if not ours.isdisjoint(found)}
    if with_it:
        all_there = [r for found in with_it.values() for r in found]
        return _finding(state, all_there, f"a benchmark shares {_gpus_of(with_it)} with other work", "error")
    places = {(r.host, r.part.name): r.value for r in by_attribute(state, "process-gpu")}
    mine = {(r.host, places.get((r.host, r.part.name))) for r in beside}
    theirs = {(r.host, places.get((r.host, r.part.name))) for r in without(names, beside)}
    if theirs and not mine & theirs and not any(gpu is None for _, gpu in mine | theirs):
        return _finding(state, beside, "a benchmark runs beside work on other GPUs of its node", "error")
    return _finding(state, beside, "a benchmark runs on the GPUs beside other work", "error")


def _gpus_of(shared: Mapping[tuple[str | None, str], Sequence[Reading]]) -> str:
    numbers = list(dict.fromkeys(gpu for _, gpu in shared))
    return f"GPU{'s' if len(numbers) > 1 else ''} {listed(numbers)}"


def _is_the_job(state: Readings, held: Sequence[Reading], sweeps: Sweeps | None) -> bool:
    """One process of one name on every GPU of a node is the job that people look at, not something beside it; on the
    only GPU where nothing was measured."""
    gpus = {(node_of(r), str(r.value)) for r in latest(by_attribute(state, "process-gpu")).values()}
    seen = {(node_of(r), r.part.name) for r in by_attribute(state, "gpu-utilisation")}
    enough = len(gpus) > 1 or (seen == gpus and not _was_measured(sweeps))
    return enough and len({str(r.value) for r in held}) == 1 and len(held) == len(gpus) and seen <= gpus


def _beside(names: Sequence[Reading], sweeps: Sweeps | None) -> list[Reading]:
    """Benchmarks that are not the job: what was measured is of another suite; or, where nothing was measured, another
    program works on the same node."""
    measured = _was_measured(sweeps)
    programs = {(node_of(r), str(r.value)) for r in names if not is_stress_test(str(r.value))}
    return [r for r in names if _disturbs(node_of(r), str(r.value), programs, measured=measured)]


def _was_measured(sweeps: Sweeps | None) -> bool:
    return sweeps is not None and any(sweep.run.tool in _SUITE for sweep in sweeps.all)


def _is_of_suite(program: str) -> bool:
    suite = suite_of(program)
    return suite is not None and suite.id == "nccl-tests"


def _disturbs(node: str, program: str, programs: set[tuple[str, str]], *, measured: bool) -> bool:
    suite = suite_of(program)
    if suite is None or suite.kind != "benchmark":
        return False
    if measured:
        return not _is_of_suite(program)
    return any(where == node and suite_of(other) != suite for where, other in programs)


def _nodes(state: Readings) -> set[str | None]:
    return {reading.host for reading in state.all}


def _busy_nodes(state: Readings, params: Params) -> set[str | None]:
    """Nodes on which a process works, or a GPU works while a process is listed."""
    by_process = {r.host for r in by_attribute(state, "process-gpu-utilisation") if _value(r) >= params.busy_percent}
    listed_there = {r.host for r in by_attribute(state, "process-name")}
    by_gpu = {r.host for r in by_attribute(state, "gpu-utilisation") if _value(r) >= params.busy_percent}
    return by_process | (by_gpu & listed_there)


def _holding(state: Readings, names: Sequence[Reading], params: Params) -> list[Reading]:
    held = latest(by_attribute(state, "process-gpu-memory"))
    return [r for r in names if (m := held.get((r.host or "", r.part))) is not None and _value(m) >= params.held_bytes]


def _value(reading: Reading) -> float:
    return float(reading.value) if isinstance(reading.value, int | float) else 0.0


def _described(process: Reading, shares: Mapping[tuple[str | None, str], float]) -> str:
    """``python3 (pid 4711, 97 % of a GPU)``."""
    share = shares.get((process.host, process.part.name), 0.0)
    return f"{process.value} (pid {process.part.name}" + (f", {share:.0f} % of a GPU)" if share else ")")


def _finding(state: Readings, readings: Sequence[Reading], what: str, severity: Severity, title: str = "") -> Finding:
    shares: dict[tuple[str | None, str], float] = {}
    for use in by_attribute(state, "process-gpu-utilisation"):
        key = use.host, use.part.name
        shares[key] = max(_value(use), shares.get(key, 0.0))
    who = listed(list(dict.fromkeys(_described(r, shares) for r in readings)))
    grave = severity == "error"
    return finding(
        "gpu-busy",
        f"{on_nodes(readings)}{what}: {who}",
        severity=severity,
        confidence="likely" if grave else "possible",
        evidence=reading_evidence(readings),
        suspects=(
            *suspects("process", (str(reading.value) for reading in readings)),
            *suspects("node", (name_of_node(reading) for reading in readings)),
        ),
        explains=_EXPLAINS if grave else (),
        remedy=[_SEE, _KEEP_OUT] if grave else [_SEE],
        title=title,
    )
