"""RAS's answer as text, section by section, over what a pager or a document left of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.hang import RasGroup, RasProcess, RasSnapshot
from slowlink.model.source import Line
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.nccl.ras.builder import MAX_LISTED, Builder, Communicator, Fault, Mismatch, Share
from slowlink.patterns import regex

MAX_SNAPSHOTS = Limit(10_000, "answers")
_STATUS = r"(?:NOCOMM|UNKNOWN|INIT|RUNNING|FINALIZE|ABORT)"
_ERRORS = r"(?:OK|(?:MISMATCH|ERROR|INCOMPLETE)(?:,(?:MISMATCH|ERROR|INCOMPLETE)){0,2})"
_WHERE = (
    r"(?: -- (?:GPU (?P<gpu>\S{1,60}(?: \(NVML \S{1,60}\))?) managed by process (?P<pid>\d{1,9}) on node "
    r"(?P<host>\S{1,120})|\[process information not found\]))"
)
_GROUP_ROW = regex(
    r"\s*\d{1,9}\s+(?P<comms>\d{1,9})\s+(?P<nodes>\d{1,9})\s+(?P<per_node>\d{1,5}(?:-\d{1,5})?)\s+(?P<size>\d{1,9})\s+"
    rf"(?P<ranks>\d{{1,9}})\s+(?P<status>{_STATUS})\s+(?P<errors>{_ERRORS})$"
)
_NUMBERS = regex(r"\s{2,16}\d{1,9}(?:\s{2,16}\d{1,9}){1,4}$")
_RULER = regex(r"={6}$|={8}$|={11}$|={13}$")
_NOISE = regex(
    r"\s*(?:Processes +GPUs$|Nodes  Processes"
    r"|Gathering data about the|obtained a result in|# {1,2}in group  per comm|\[could not find information on"
    r"|Errors$|Warnings$|The outlier nodes?:|No communicator data collected|Communicators\.\.\.)"
)
_MARKS = Literals(
    (
        " compiled with CUDA ",
        "CUDA runtime version ",
        "Job summary",
        "Nodes  Processes",
        "(total)   per node",
        "per node  per process",
        "Processes         GPUs",
        "(total)    (total)",
        "The outlier node",
        " running process",
        "Communicators...",
        "Gathering data about",
        "obtained a result in",
        "Group     Comms",
        "in group  per comm",
        "No communicator data",
        "INCOMPLETE",
        "MISMATCH",
        "DEAD",
        "TIMEOUT",
        "ERROR",
        "Errors",
        "Warnings",
        "Missing communicator data from",
        "considered dead (unreachable",
        "managing GPU",
        "[could not find information on",
        " -- GPU ",
        "[process information not found]",
        "Initialization error",
        "Asynchronous error",
        " ranks reported ",
        "The missing rank",
        "Communicator ranks have different",
        " have status ",
        " has status ",
        " launched up to operation ",
        " not launched any operations",
        "communication timeout",
    )
)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(rf"\s*{text}")


class RasText:
    """Reads answers of RAS from one stream. Any section may be missing, or be all that there is."""

    kind: ClassVar[str] = "nccl-ras"
    literals: ClassVar[Literals] = Literals((*_MARKS.texts, "\n0", "\n======"))

    @staticmethod
    def wants(text: str) -> bool:
        if _MARKS.in_(text):
            return True
        return _NUMBERS.match(text) is not None or _GROUP_ROW.match(text) is not None or _RULER.match(text) is not None

    def __init__(self) -> None:
        self._done: list[RasSnapshot] = []
        self._open: Builder | None = None
        self._block: Fault | Mismatch | None = None
        self._communicator: Communicator | None = None
        self._totals = 0
        """Columns of the rows about the whole job, while its table goes on; 0 elsewhere."""
        self._last_share = 0
        """Number of the line that last named ranks of a mismatch: those of one list stand under one another."""

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text.rstrip()
        for pattern, read in _READERS:
            found = pattern.fullmatch(text)
            if found is not None and (self._open is not None or read in _OPENERS):
                return read(self, found, line)
        if self._open is None:
            return Use.NOT_MINE
        if _NUMBERS.match(text):
            return self._numbers(text)
        return Use.IGNORED if _RULER.match(text) or _NOISE.match(text) else Use.NOT_MINE

    def finish(self) -> Iterable[RasSnapshot]:
        self._close()
        return self._done

    def _close(self) -> None:
        if self._open is not None and not self._open.bare and MAX_SNAPSHOTS.has_room(len(self._done)):
            self._done.append(self._open.build())
        self._open, self._block, self._communicator, self._totals = None, None, None, 0

    def _asked_again(self, line: Line) -> Communicator | None:
        """Close this answer, and begin another one about the same communicator: somebody asked again and kept of the
        answer only its end (``ncclras | grep -A4 MISMATCH``), which has no heading of its own."""
        name = self._communicator.hash if self._communicator is not None else ""
        self._close()
        self._communicator = self._builder(line).communicator(name, line.ref())
        return self._communicator

    def _builder(self, line: Line) -> Builder:
        if self._open is None:
            self._open = Builder(RasSnapshot(line.ref()))
        return self._open

    # One method a kind of line; they are listed with their patterns below.

    def _version(self, found: re.Match[str], line: Line) -> Use:
        self._close()
        builder = self._builder(line)
        builder.snapshot = replace(builder.snapshot, nccl=found["version"])
        return Use.USED

    def _cuda(self, found: re.Match[str], line: Line) -> Use:
        builder = self._builder(line)
        builder.snapshot = replace(
            builder.snapshot, cuda_runtime=int(found["runtime"]), cuda_driver=int(found["driver"])
        )
        return Use.USED

    def _job(self, _found: re.Match[str], line: Line) -> Use:
        if self._open is not None and not self._open.bare:
            self._close()
        self._builder(line)
        return Use.USED

    def _totals_header(self, found: re.Match[str], _line: Line) -> Use:
        """Which rows follow: of the whole job, regular (five columns) or not (three); or of a part of it."""
        self._totals = 5 if found["regular"] else 3 if found["irregular"] else 0
        return Use.IGNORED

    def _group_header(self, _found: re.Match[str], line: Line) -> Use:
        if self._open is not None and self._open.groups:
            self._close()
        self._builder(line)
        self._totals, self._block = 0, None
        return Use.USED

    def _numbers(self, text: str) -> Use:
        """A row of the job's table; those of an irregular job's parts say nothing about the whole."""
        builder, values = self._open, tuple(map(int, text.split()))
        if builder is None or builder.groups:
            return Use.NOT_MINE
        if len(values) == self._totals:
            nodes, (processes, gpus) = values[0], values[-2:]
            builder.snapshot = replace(builder.snapshot, nodes=nodes, processes=processes, gpus=gpus)
        return Use.USED

    def _outlier(self, found: re.Match[str], line: Line) -> Use:
        builder = self._builder(line)
        if builder.room():
            builder.outliers.append(found["host"])
        return Use.USED

    def _group_row(self, found: re.Match[str], line: Line) -> Use:
        builder = self._builder(line)
        errors = () if found["errors"] == "OK" else tuple(found["errors"].split(","))
        numbers = (int(found[name]) for name in ("comms", "nodes", "size", "ranks"))
        comms, nodes, size, ranks = numbers
        if MAX_LISTED.has_room(len(builder.groups)):
            builder.groups.append(
                RasGroup(comms, nodes, found["per_node"], size, ranks, found["status"], errors, line.ref())
            )
        return Use.USED

    def _of_communicator(self, found: re.Match[str], line: Line) -> Use:
        self._communicator = self._builder(line).communicator(found["hash"], line.ref())
        self._block = None
        return Use.USED

    def _of_job(self, _found: re.Match[str], _line: Line) -> Use:
        self._block = None
        return Use.USED

    def _fault(self, found: re.Match[str], line: Line) -> Use:
        groups = found.groupdict()
        kind = next(name for name in _FAULTS if groups.get(name.replace("-", "_")))
        fault = Fault(kind, int(groups[kind.replace("-", "_")]), line.ref())  # type: ignore[arg-type]
        builder = self._builder(line)
        if builder.room():
            whole_job = kind in ("missing-process", "dead") or self._communicator is None
            errors = builder.errors if whole_job or self._communicator is None else self._communicator.errors
            errors.append(fault)
        self._block = fault
        return Use.USED

    def _process(self, found: re.Match[str], line: Line) -> Use:
        builder = self._builder(line)
        if not isinstance(self._block, Fault) or not builder.room():
            return Use.USED
        self._block.members.append(
            RasProcess(
                line.ref(),
                pid=int(found["pid"]),
                host=found["host"],
                gpus=found["gpu"],
                responsive=False,
                dead=self._block.kind == "dead" or None,
            )
        )
        return Use.USED

    def _reported(self, found: re.Match[str], _line: Line) -> Use:
        if isinstance(self._block, Fault):
            self._block.codes.append(found["code"])
        return Use.USED

    def _missing_list(self, found: re.Match[str], line: Line) -> Use:
        """2.24 lists the missing ranks in one line, when it cannot tell their processes."""
        if isinstance(self._block, Fault):
            ranks = [int(digits) for digits in re.findall(r"\d{1,9}", found["ranks"])]
            self._block.members.extend(RasProcess(line.ref(), rank=rank, responsive=False) for rank in ranks)
        return Use.USED

    def _differ(self, found: re.Match[str], line: Line) -> Use:
        builder = self._builder(line)
        communicator = self._communicator or builder.communicator("", line.ref())
        collective = None if found["collective"] in (None, "collective") else found["collective"]
        kind = "status" if found["status"] else "operations"
        if communicator and any((m.kind, m.collective) == (kind, collective) for m in communicator.mismatches):
            communicator = self._asked_again(line)  # an answer names each of them once
            builder = self._builder(line)
        mismatch = Mismatch(kind, collective, line.ref())  # type: ignore[arg-type]
        if communicator is not None and builder.room():
            communicator.mismatches.append(mismatch)
        self._block = mismatch
        return Use.USED

    def _share(self, found: re.Match[str], line: Line) -> Use:
        """``6 ranks have launched up to operation 9``."""
        share = _share_of(int(found["count"]), found)
        if isinstance(self._block, Mismatch) and self._begins_another_list(self._block, share, line):
            kind, collective = self._block.kind, self._block.collective
            communicator = self._asked_again(line)
            self._block = Mismatch(kind, collective, line.ref())
            if communicator is not None:
                communicator.mismatches.append(self._block)
        if isinstance(self._block, Mismatch) and self._builder(line).room():
            self._block.shares.append(share)
        self._last_share = line.no
        return Use.USED

    def _begins_another_list(self, block: Mismatch, share: Share, line: Line) -> bool:
        """One list stands under one another, the largest share first, and has each count once."""
        if not block.shares or line.no <= self._last_share + 1:
            return False
        again = any((old.operation, old.status) == (share.operation, share.status) for old in block.shares)
        return again or share.ranks > block.shares[-1].ranks

    def _rank(self, found: re.Match[str], line: Line) -> Use:
        """One rank: of the share or the error above it, or with a state of its own."""
        groups = found.groupdict()
        self._last_share = line.no
        block = self._block
        if block is None or not self._builder(line).room():
            return Use.USED
        lacking = isinstance(block, Fault) and block.kind == "missing-rank"
        process = RasProcess(
            line.ref(),
            rank=int(groups["rank"]),
            pid=int(groups["pid"]) if groups.get("pid") else None,
            host=groups.get("host"),
            gpus=groups.get("gpu"),
            responsive=False if lacking else None,
        )
        if isinstance(block, Fault):
            block.members.append(process)
            if groups.get("code"):
                block.codes.append(groups["code"])
            return Use.USED
        if groups.get("own"):
            block.shares.append(_share_of(1, found))
        if block.shares:
            block.shares[-1].members.append(process)
        return Use.USED

    def _timeouts(self, found: re.Match[str], line: Line) -> Use:
        builder = self._builder(line)
        builder.snapshot = replace(builder.snapshot, timeouts=int(found["count"]))
        return Use.USED


def _share_of(ranks: int, found: re.Match[str]) -> Share:
    groups = found.groupdict()
    operation = groups.get("operation")
    return Share(ranks, int(operation) if operation else None, groups.get("status"))


_FAULTS = ("missing-process", "dead", "missing-rank", "init-error", "async-error")
_Reader = Callable[[RasText, re.Match[str], Line], Use]
_READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (_GROUP_ROW, RasText._group_row),
    (_pattern(r"NCCL version (?P<version>\d+\.\d+\.\d+\S{0,40}) compiled with CUDA .{1,40}"), RasText._version),
    (_pattern(r"CUDA runtime version (?P<runtime>\d{1,9}), driver version (?P<driver>\d{1,9})"), RasText._cuda),
    (_pattern("Job summary"), RasText._job),
    (
        _pattern(
            r"(?:(?P<regular>\(total\) +per node +per process +\(total\) +\(total\))"
            r"|(?P<irregular>\(total\) +\(total\) +\(total\))|per node(?: +per process)?|per process)"
        ),
        RasText._totals_header,
    ),
    (_pattern(r"Group {2,8}Comms {2,8}Nodes .{1,80}"), RasText._group_header),
    (_pattern(r"Node (?P<host>\S{1,120}) running process(?:es)? \S{1,4000}"), RasText._outlier),
    (
        _pattern(r"#\d{1,9}-\d{1,9} \((?P<hash>[0-9a-f]{1,16})\) (?:INCOMPLETE|ERROR|MISMATCH)"),
        RasText._of_communicator,
    ),
    (_pattern(r"(?:INCOMPLETE|DEAD|TIMEOUT)"), RasText._of_job),
    (
        _pattern(
            r"(?:Missing communicator data from (?:(?P<missing_process>\d{1,9}) job process(?:es)?|"
            r"(?P<missing_rank>\d{1,9}) ranks?)"
            r"|(?P<dead>\d{1,9}) job process(?:es are| is) considered dead \(unreachable via the RAS network\)"
            r"|Initialization errors? on (?P<init_error>\d{1,9}) ranks?"
            r"|Asynchronous errors? on (?P<async_error>\d{1,9}) ranks?)"
        ),
        RasText._fault,
    ),
    (
        _pattern(
            r"Process (?P<pid>\d{1,9}) on node (?P<host>\S{1,120}) managing GPUs? "
            r"(?P<gpu>\S{1,60}(?: \(NVML \S{1,60}\))?)"
        ),
        RasText._process,
    ),
    (_pattern(r"\d{1,9} ranks reported (?P<code>\S.{0,80})"), RasText._reported),
    (_pattern(r"The missing ranks?: (?P<ranks>[\d, -]{1,4000})"), RasText._missing_list),
    (
        _pattern(r"Communicator ranks have different (?:(?P<status>status)|(?P<collective>\w{1,40}) operation counts)"),
        RasText._differ,
    ),
    (
        _pattern(
            rf"(?P<count>\d{{1,9}}) ranks? (?:have|has) (?:status (?P<status>{_STATUS})|launched up to operation "
            r"(?P<operation>\d{1,18})|not launched any operations)"
        ),
        RasText._share,
    ),
    (
        _pattern(
            rf"Rank (?P<rank>\d{{1,9}})(?P<own> has (?:status (?P<status>{_STATUS})|launched up to operation "
            r"(?P<operation>\d{1,18})|not launched any operations)| reported (?P<code>[^-]{1,80}))?" + _WHERE
        ),
        RasText._rank,
    ),
    (
        _pattern(r"Encountered (?P<count>\d{1,9}) communication timeouts? while gathering communicator data"),
        RasText._timeouts,
    ),
)
"""Every line that says something, and what reads it. A line is tried against them in this order."""
_OPENERS = (RasText._version, RasText._job, RasText._group_header, RasText._of_communicator)
"""Lines that can begin an answer; the others are words that anybody may print."""
