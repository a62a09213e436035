"""Benchmark runs joined with what the rest of the input knows about them: collective, ranks, nodes, library."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from slowlink.facts.around_runs import ByLine, PrintedTogether
from slowlink.facts.probe_runs import on_cpu_memory
from slowlink.model.benchmark import CollectiveRun, Point
from slowlink.model.facts import Communicators, MeasuredSweep, Sweeps
from slowlink.model.job import Command
from slowlink.model.nccl import LibraryVersion, LogProcess
from slowlink.model.records import Records
from slowlink.parsers.benchmarks.nccl_tests.checks import nranks_from_ratio, table_ratio

_PROGRAM_SUFFIX = "_perf"
_USUAL_GPUS = (8, 4, 16, 2, 1)
"""Of a node, the most usual first."""
_MOST_GPUS_OF_A_PROCESS = 1024


def sweeps(records: Records, comms: Communicators | None, nodes: int | None = None) -> Sweeps | None:
    """None when no benchmark run was found. ``nodes``: how many the job has, as the user says."""
    if not records.runs:
        return None
    around = _Around(records, comms, nodes)
    return Sweeps(tuple(_join(run, around) for run in records.runs))


class _Around:
    """What runs are joined with, sorted once for all of them."""

    def __init__(self, records: Records, comms: Communicators | None, nodes: int | None) -> None:
        benchmarks = (command for command in records.commands if command.program.endswith(_PROGRAM_SUFFIX))
        self.commands = ByLine(benchmarks, lambda command: command.ref)
        self.versions = ByLine((v for log in records.logs for v in log.versions), lambda version: version.ref)
        self.together = PrintedTogether(records.runs)
        self.comms = comms
        self.nodes = nodes
        """As the user says."""
        self.nodes_of_log = _nodes_of_log(comms) if comms is not None else None


class _NodesOfLog(NamedTuple):
    """What NCCL's log says of the number of nodes."""

    counted: int | None
    """The most nodes of a communicator; None where no line counts them."""
    ranks_named: int
    """Ranks of the largest communicator whose hosts are known."""
    hosts: int
    """How many these are."""


def _nodes_of_log(comms: Communicators) -> _NodesOfLog:
    counts = (comm.nnodes for comm in comms.all if comm.nnodes is not None)
    hosts = comms.host_of_rank
    return _NodesOfLog(max(counts, default=None), len(hosts), len(set(hosts.values())))


def _join(run: CollectiveRun, around: _Around) -> MeasuredSweep:
    command = around.commands.above(run.source, run.header.line)
    collective = run.collective or _collective_of(command)
    points = tuple(point for point in run.points if usable(point))
    if _is_cut(run, collective, points):
        run = replace(run, devices_elided=True)
    nranks, nranks_basis = _nranks(run, collective, points, command, around.comms)
    hosts = tuple(dict.fromkeys(device.host for device in run.devices if device.host is not None))
    nnodes, nnodes_basis = _nnodes(run, hosts, nranks, command, around)
    return MeasuredSweep(
        run=run,
        name=f"{run.source}:{run.header.line}",
        collective=collective,
        nranks=nranks,
        nranks_basis=nranks_basis,
        nnodes=nnodes,
        nnodes_basis=nnodes_basis,
        hosts=hosts,
        gpu=_gpu(run),
        library=_library(run, around.versions),
        points=points,
        peak_busbw_gbs=max((p.busbw_gbs for p in points if p.busbw_gbs is not None), default=None),
        complete=run.concluded and not run.header_only,
        interleaved=around.together.with_another(run),
    )


def usable(point: Point) -> bool:
    """A point may be computed with: it has a bandwidth, and nothing about it is in doubt."""
    return point.doubt is None and point.busbw_gbs is not None


def _collective_of(command: Command | None) -> str | None:
    return command.program.removesuffix(_PROGRAM_SUFFIX) if command is not None else None


def _nranks(
    run: CollectiveRun,
    collective: str | None,
    points: Sequence[Point],
    command: Command | None,
    comms: Communicators | None,
) -> tuple[int | None, str]:
    """Ranks and how that is known, the surest source first."""
    if run.nranks_printed is not None:
        return run.nranks_printed, "printed by the benchmark"
    listed = max((device.rank for device in run.devices), default=-1) + 1
    if listed and not run.devices_elided:
        return listed, "device list"
    told = [(listed, "device list, incomplete")] if listed else []
    if command is not None and (started := _ranks_of_command(command)) is not None:
        told.append((started, f"command on line {command.ref.line}"))
    if comms is not None and comms.nranks is not None:
        told.append((comms.nranks, "NCCL log"))
    return _with_ratio(told, collective, points, run.nnodes_printed)


def _is_cut(run: CollectiveRun, collective: str | None, points: Sequence[Point]) -> bool:
    """Does the factor between busbw and algbw tell of more ranks than the device list, of which nobody says that it
    is cut?"""
    ratio = table_ratio(points) if run.devices and not run.devices_elided else None
    estimate = nranks_from_ratio(collective, ratio.value, ratio.error) if ratio is not None else None
    return estimate is not None and estimate.low > len(run.devices)


def _ranks_of_command(command: Command) -> int | None:
    """Processes times the GPUs and threads of each; None where the command does not tell the processes."""
    processes = command.nranks if command.launcher is not None or command.everywhere else 1
    if processes is None:
        return None
    each = _option(command, "-g", "--ngpus") * _option(command, "-t", "--nthreads")
    return processes * each if command.launcher is not None or each > 1 else None


def _option(command: Command, *names: str) -> int:
    """The value of a numeric option of the benchmark; 1 where it is not given."""
    for word, after in zip(command.argv, (*command.argv[1:], ""), strict=True):
        name, _, joined = word.partition("=")
        value = joined or after if name in names else ""
        if value.isascii() and value.isdecimal() and 0 < int(value[:7]) <= _MOST_GPUS_OF_A_PROCESS:
            return int(value)
    return 1


def _with_ratio(
    told: list[tuple[int, str]], collective: str | None, points: Sequence[Point], nnodes: int | None
) -> tuple[int | None, str]:
    """The factor between busbw and algbw gives the ranks away where the print is precise enough for one number only;
    of what else tells the number, that counts which the factor allows. Of many ranks it allows many numbers: then
    nodes that are counted have as many GPUs as nodes are sold with."""
    otherwise = max(told, key=lambda entry: "incomplete" not in entry[1], default=(None, ""))
    ratio = table_ratio(points)
    estimate = nranks_from_ratio(collective, ratio.value, ratio.error) if ratio is not None else None
    if ratio is None or estimate is None:
        return otherwise
    high = estimate.high if estimate.high is not None else float("inf")
    fitting = next(((n, basis) for n, basis in told if estimate.low <= n <= high), None)
    if fitting is not None:
        return fitting
    if estimate.exact:
        return estimate.nranks, f"busbw/algbw = {ratio.value:.4g}"
    each = next((each for each in _USUAL_GPUS if nnodes and estimate.low <= nnodes * each <= high), None)
    if each is not None and nnodes and otherwise[0] is None:
        return nnodes * each, f"{each} GPUs a node, which busbw/algbw = {ratio.value:.4g} allows"
    return otherwise


def _nnodes(
    run: CollectiveRun,
    hosts: Sequence[str],
    nranks: int | None,
    command: Command | None,
    around: _Around,
) -> tuple[int | None, str]:
    """Nodes and how that is known. A list of devices that is cut names some of them only."""
    if run.nnodes_printed is not None:
        return run.nnodes_printed, "printed by the benchmark"
    if hosts and _names_all_hosts(run, nranks):
        return len(hosts), "device list"
    if nranks == 1:
        return 1, "one rank"
    if around.nodes is not None:
        return around.nodes, "given"
    logged = around.nodes_of_log
    if logged is not None and around.comms is not None and around.comms.nranks == nranks:
        if logged.counted is not None:
            return logged.counted, "NCCL log"
        if logged.ranks_named == nranks:
            return logged.hosts, "hosts in the NCCL log"
    if command is not None:
        return _nnodes_of_command(command, nranks)
    return None, ""


def _names_all_hosts(run: CollectiveRun, nranks: int | None) -> bool:
    """Is there no room in the device list for a node that it does not name?

    Ranks stand node by node, so what is missing between two ranks of one host is of that host.
    """
    if not run.devices_elided:
        return True
    listed = sorted((device.rank, device.host) for device in run.devices if device.host is not None)
    if not listed or listed[0][0] != 0 or listed[-1][0] + 1 != nranks:
        return False
    return all(rank + 1 == after or host == other for (rank, host), (after, other) in pairwise(listed))


def _nnodes_of_command(command: Command, nranks: int | None) -> tuple[int | None, str]:
    if command.hosts:
        return len(command.hosts), f"hosts of the command on line {command.ref.line}"
    per_node = command.ranks_per_node
    each = _option(command, "-g", "--ngpus") * _option(command, "-t", "--nthreads")
    if per_node and nranks:
        return -(-nranks // (per_node * each)), f"ranks per node of the command on line {command.ref.line}"
    if command.launcher is None and not command.everywhere and each > 1 and each == nranks:
        return 1, f"one process with {each} GPUs by the command on line {command.ref.line}"
    return None, ""


def _gpu(run: CollectiveRun) -> str | None:
    """The most frequent device name; None where ranks computed without a GPU."""
    if on_cpu_memory(run):
        return None
    names = Counter(device.gpu for device in run.devices if device.gpu)
    return max(names, key=names.__getitem__, default=None)


def _library(run: CollectiveRun, versions: ByLine[LibraryVersion]) -> LibraryVersion | None:
    """The nearest version line above the run in its source, else the first below, else what the benchmark prints."""
    logged = versions.above(run.source, run.header.line) or versions.first(run.source)
    if logged is not None:
        return logged
    if run.nccl_version is not None:
        name = {"rccl-tests": "RCCL", "mccl-tests": "MCCL"}.get(run.tool, "NCCL")
        return LibraryVersion(name, run.nccl_version, None, LogProcess(None, None), run.header)
    return None
