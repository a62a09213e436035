"""What each input tells about the job that it belongs to: its hosts, communicators and number in a scheduler."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct, field

from slowlink.facts.jobs.model import Entry
from slowlink.facts.placing.source_names import node_in_name
from slowlink.model.benchmark import CollectiveRun
from slowlink.model.hang import FlightDump, RasSnapshot
from slowlink.model.job import Command, JobEvent, TrainingPace
from slowlink.model.nccl import NcclLog
from slowlink.model.records import Records
from slowlink.model.state import Collected, Origin, Reading
from slowlink.model.timed_calls import ACCL, INSPECTOR, NO_COMM, TimedCalls
from slowlink.patterns import regex

_OF_JOBS = frozenset(["openmpi", "mpich", "slurm", "pytorch", "pals", "nccl-tests", "ucx", "libfabric", "slowlink"])
"""Origins of messages that only a running job prints; those of kernels, shells and GPU tools are about nodes, too."""
_JOB_IN_NAME = regex(
    r"(?:^|[/!])slurm-(?P<slurm>\d{1,10})(?:_\d{1,6})?(?=[.\-]|$)"
    r"|\.[oe](?P<pbs>\d{2,10})(?=$|[.\-])"
    r"|(?:^|[/!_.\-])job(?:id)?[-_.]?(?P<job>\d{3,10})(?=[/!_.\-]|$)"
)
_PART_IN_NAME = regex(r"(?:node|rank|worker|host|pod|task|proc|process|gpu|local|attempt)[-_.]?(?:rank)?[-_.]?\d", 2)
"""Folders and files of one process or node of a job (the number 2 is ``re.IGNORECASE``)."""


_NUMBER = regex(r"\d+")
_MOST_TAKEN_OUT = 8


class Marks(Struct):
    """What one input tells."""

    source: str
    hosts: set[str] = field(default_factory=set)
    """Those on which the job ran, by their short names."""
    near_hosts: set[str] = field(default_factory=set)
    """Those that its messages and commands name: they may belong to the job."""
    comms: set[str] = field(default_factory=set)
    """Ids of communicators, which all ranks of a job share."""
    libraries: set[str] = field(default_factory=set)
    """``NCCL``, ``RCCL``, ``MCCL``: a job has one kind of GPU."""
    largest: int = 0
    """Ranks of the largest communicator; 0 where none is known."""
    ids: set[str] = field(default_factory=set)
    """Numbers of the scheduler."""
    table: bool = False
    """A benchmark lists every rank with its host: the job has no other hosts."""
    ranks: dict[tuple[int, str], set[int]] = field(default_factory=dict)
    """(size of a communicator, its id) -> the ranks of it that were seen."""
    calling: dict[tuple[int, str], set[int]] = field(default_factory=dict)
    """The same of the communicators whose calls it holds: those of its processes, and no others."""
    ran: bool = False
    """It holds output of something that ran: tables, NCCL's lines, messages of launchers and frameworks."""
    failed: bool = False
    """Some program complains in it."""
    state: bool = False
    """It tells of the state of nodes."""
    records: int = 0

    @property
    def shape(self) -> str:
        """Its name without what tells the outputs of one job's nodes and ranks apart: hosts and numbers."""
        name = self.source.lower()
        for host in sorted(self.hosts, key=len, reverse=True)[:_MOST_TAKEN_OUT]:
            name = name.replace(host, "0")
        return _NUMBER.sub("0", name)

    @property
    def marked(self) -> bool:
        return bool(self.hosts or self.comms or (self.ids and self.ran))

    @property
    def about_nodes(self) -> bool:
        return self.state and not self.ran and not self.hosts


def short(host: str) -> str:
    """The name without its domain; an address stays whole."""
    first = host.partition(".")[0]
    return host if first.isdecimal() else first.lower()


def nothing_ran(records: Records) -> bool:
    """Do these records tell of no job at all, as the state of nodes does? Then no input has a mark of one."""
    ran = records.runs or records.logs or records.ras or records.flights or records.paces or records.timed
    return not ran and all(event.origin not in _OF_JOBS for event in records.events)


def marks_of(records: Records, found_in: Collection[Entry]) -> dict[str, Marks]:
    """By input, or part of one, in order."""
    parts = {entry.source for entry in found_in if entry.part != entry.source}
    found = {source.path: Marks(source.path) for source in records.sources if source.path not in parts}
    known = _hosts_of_runs(records)
    for entry in found_in:
        marks = found.setdefault(entry.part, Marks(entry.part))
        marks.records += 1
        _note(marks, entry.record)
    for marks in found.values():
        marks.ids = _id_of(marks)
        if marks.hosts and _of_one_process(marks.source, known):
            marks.ranks.clear()
    return found


def _hosts_of_runs(records: Records) -> frozenset[str]:
    named = [process.host for log in records.logs for process in log.processes]
    named += [device.host for run in records.runs for device in run.devices]
    return frozenset(name for name in named if name)


def _of_one_process(source: str, known: frozenset[str]) -> bool:
    """Its name says that it is one node's or one rank's part of the output."""
    return node_in_name(source, known) is not None or _PART_IN_NAME.search(source) is not None


def _note(marks: Marks, record: object) -> None:
    if isinstance(record, Reading | Collected | Origin):  # first, because there are most of them
        marks.state = True
    elif isinstance(record, CollectiveRun):
        marks.ran = True
        _note_table(marks, record)
    elif isinstance(record, NcclLog):
        marks.ran = True
        _note_log(marks, record)
    elif isinstance(record, TimedCalls):
        marks.ran = True
        _note_timed(marks, record)
    elif isinstance(record, RasSnapshot):
        marks.ran = True
        marks.comms.update(comm.hash.lower() for comm in record.communicators)
    elif isinstance(record, FlightDump | TrainingPace):
        marks.ran = True
    elif isinstance(record, JobEvent):
        marks.ran |= record.origin in _OF_JOBS
        marks.failed = True
        if record.host:
            marks.near_hosts.add(short(record.host))
        if record.origin == "slurm" and record.groups.get("job"):
            marks.ids.add(record.groups["job"].partition(".")[0])
    elif isinstance(record, Command):
        marks.near_hosts.update(map(short, record.hosts))


def _note_timed(marks: Marks, calls: TimedCalls) -> None:
    """The id of a communicator that the Inspector or accl-profiler writes is what NCCL's log calls ``commId``; other
    names are no ids."""
    if calls.host:
        marks.hosts.add(short(calls.host))
    if calls.tool == ACCL and calls.comm != NO_COMM:
        marks.comms.add(calls.comm.removeprefix("0x"))  # it records no sends: stages of one job show no others
    if calls.tool == INSPECTOR:
        marks.comms.add(calls.comm.removeprefix("0x"))
        marks.largest = max(marks.largest, calls.nranks)
        for ranks in (marks.ranks, marks.calling):
            ranks.setdefault((calls.nranks, calls.comm), set()).add(calls.rank)


def _note_table(marks: Marks, run: CollectiveRun) -> None:
    marks.hosts.update(short(device.host) for device in run.devices if device.host)
    marks.table |= lists_every_rank(run)


def lists_every_rank(run: CollectiveRun) -> bool:
    """The benchmark names the host of each of its ranks. One rank alone may be one of several that knew nothing of
    another (a build without MPI)."""
    ranks = {device.rank for device in run.devices}
    every = not run.devices_elided and len(ranks) > 1 and ranks == set(range(len(ranks)))
    return every and all(device.host for device in run.devices)


def _note_log(marks: Marks, log: NcclLog) -> None:
    marks.hosts.update(short(process.host) for process in log.processes if process.host)
    marks.libraries.update(version.library for version in log.versions)
    marks.largest = max([marks.largest, *(comm.nranks for comm in log.comms if comm.nranks is not None)])
    for comm in log.comms:
        comm_id = (comm.comm_id or "").lower().removeprefix("0x")
        if comm_id.strip("0"):
            marks.comms.add(comm_id)
        if comm.nranks is not None and comm.rank is not None:
            marks.ranks.setdefault((comm.nranks, comm_id), set()).add(comm.rank)


def _id_of(marks: Marks) -> set[str]:
    """The number in its name; else the one that its messages name. Several are those of a scheduler's own log."""
    match = _JOB_IN_NAME.search(marks.source)
    if match is not None:
        return {next(number for number in match.groups() if number)}
    return marks.ids if len(marks.ids) == 1 else set()
