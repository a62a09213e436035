"""How Slurm says that jobs ended, and why they wait: ``sacct``, ``squeue``, ``scontrol show job``::

    JobID           JobName  Partition    Account  AllocCPUS      State ExitCode
    ------------ ---------- ---------- ---------- ---------- ---------- --------
    4711              train        gpu     proj01       1024     FAILED      1:0
    4711.0           python                proj01       1024 OUT_OF_ME+    0:125

    JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
     4712       gpu    train      bob PD       0:00      8 (ReqNodeNotAvail, UnavailableNodes:gpu02)

    JobId=4711 JobName=train
       JobState=NODE_FAIL Reason=None Dependency=(null)

A state becomes the event that Slurm's own message of it becomes (``slurm.py``). Where a later job of the list did its
work, the earlier ones are history; a list of several people's jobs tells nothing of the one that matters.

Facts: sacct(1), squeue(1) and ``job_state_reason.c`` of Slurm 20.11 to 25.05.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from msgspec import Struct

from slowlink.model.job import JobEvent
from slowlink.model.source import Line
from slowlink.nodes import NodeLists
from slowlink.parsers.forms.header_table import Columns, columns_of
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

UNAVAILABLE, PENDING = "slurm-nodes-unavailable", "slurm-pending"
MAX_JOBS = Limit(100_000, "jobs")
_MOST_NODES = 20_000
"""That jobs wait for."""
_STATES = (
    *("BOOT_FAIL", "CANCELLED", "COMPLETED", "CONFIGURING", "COMPLETING", "DEADLINE", "FAILED", "NODE_FAIL"),
    *("OUT_OF_MEMORY", "PENDING", "PREEMPTED", "RUNNING", "REQUEUED", "RESIZING", "REVOKED", "SUSPENDED", "TIMEOUT"),
)
_SHORT = {
    "BF": "BOOT_FAIL",
    "CA": "CANCELLED",
    "CD": "COMPLETED",
    "CF": "CONFIGURING",
    "CG": "COMPLETING",
    "DL": "DEADLINE",
    "F": "FAILED",
    "NF": "NODE_FAIL",
    "OOM": "OUT_OF_MEMORY",
    "PD": "PENDING",
    "PR": "PREEMPTED",
    "R": "RUNNING",
    "S": "SUSPENDED",
    "TO": "TIMEOUT",
}
_ENDED = {
    "BOOT_FAIL": "slurm-launch-failed",
    "CANCELLED": "slurm-cancelled",
    "NODE_FAIL": "slurm-node-fail",
    "OUT_OF_MEMORY": "slurm-oom",
    "PREEMPTED": "slurm-preempted",
    "TIMEOUT": "slurm-time-limit",
}
_NEVER = (
    *("BadConstraints", "InvalidAccount", "InvalidQOS", "PartitionNodeLimit", "PartitionTimeLimit", "PartitionConfig"),
    *("AccountNotAllowed", "QOSNotAllowed", "DependencyNeverSatisfied", "ReservationInvalid", "ReservationDeleted"),
    *("QOSMinCpuNotSatisfied", "QOSMinGRES", "QOSMinMemory", "QOSMinNode", "MaxMemPerLimit"),
)
"""Reasons that do not pass by waiting: the request has to change."""
_HELD = ("JobLaunchFailure", "launch failed requeued held", "JobHoldMaxRequeue")
_UNAVAILABLE = regex(r"UnavailableNodes:(?P<nodes>[\w.\[\],-]{1,400})")
_WORDS = r"(?:BOOT_FAIL|CANCELLED|COMPLET(?:ED|ING)|CONFIGURI\w*|DEADLINE|FAILED|NODE_FAIL|OUT_OF_\w+|PENDING|PREEMPTED"
_ROW = regex(rf"(?=.{{0,400}}\d).{{0,400}}(?:^|[\s|]){_WORDS}|RUNNING|REQUEUED|SUSPENDED|TIMEOUT)\+?(?:[\s|]|$)")
_SHORT_ROW = regex(r"\s{0,40}\d\S{0,60}\s.{1,300}\s(?:PD|CF|CG|CD|CA|BF|DL|F|NF|OOM|PR|R|S|TO)\s+\S{0,4}\d")
_RULER = regex(r"\s{0,20}-{3,400}(?: -{2,400}){1,80}\s*")
_BRANCH = regex(r"\s{0,20}[\u2514\u251c\u2502`]")
"""A step that a site's own listing draws below its job (``slurm history``): the job's row tells how it ended."""
_OF_JOB = regex(r"(?:^|\s)JobId=(?P<job>\d{1,12}(?:_\d{1,9})?)")
_FIELD = regex(r"(?:^|\s)(?P<name>JobState|Reason|ExitCode|DerivedExitCode|UserId)=(?P<value>\S{1,300})")
_EXIT = regex(r"(?P<code>\d{1,3}):(?P<signal>\d{1,3})")
_MOST_BETWEEN = 40
"""Lines of one job in ``scontrol show job``."""
_LAST_SIGNAL = 31


class _Job(Struct):
    """What is said of one job or one step of it."""

    job: str
    line: Line
    state: str = ""
    reason: str = ""
    exit: str = ""
    user: str = ""
    shown: bool = False
    """By itself (``scontrol show job``), not in a list?"""


class SlurmJobs:
    """One event for each job that ended badly, or waits for what will not come."""

    kind: ClassVar[str] = "slurm-jobs"
    digits_alike: ClassVar[bool] = True
    literals: ClassVar[Literals] = Literals(
        (
            *("\n0", "- -", "JobID", "JOBID", "JobId=", "JobState=", "ExitCode=", "BOOT_FAIL", "CANCELLED"),
            *("COMPLET", "CONFIGURI", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_", "PENDING", "PREEMPTED"),
            *("RUNNING", "REQUEUED", "SUSPENDED", "TIMEOUT"),
        )
    )

    def __init__(self) -> None:
        self._columns: Columns | None = None
        self._block: _Job | None = None
        self._jobs: list[_Job] = []

    @staticmethod
    def wants(text: str) -> bool:
        return (
            _header(text) is not None
            or _ROW.match(text) is not None
            or _SHORT_ROW.match(text) is not None
            or _RULER.fullmatch(text) is not None
            or "JobId=" in text
            or "JobState=" in text
            or "ExitCode=" in text
        )

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        if (columns := _header(line.text)) is not None:
            self._columns, self._block = columns, None
            return Use.USED
        if "=" in line.text and self._of_block(line):
            return Use.USED
        if self._columns is None:
            return Use.NOT_MINE
        if _RULER.fullmatch(line.text) or _BRANCH.match(line.text):
            return Use.IGNORED
        job = _job_of(self._columns.cells(line.text), line)
        if job is None:
            self._columns = None
            return Use.NOT_MINE
        self._keep(job)
        return Use.USED

    def _of_block(self, line: Line) -> bool:
        """A line of ``scontrol show job``; with ``-o`` it is all of it."""
        if (named := _OF_JOB.search(line.text)) is not None:
            self._block, self._columns = _Job(named["job"], line, shown=True), None
            self._keep(self._block)
        block = self._block
        if block is None or line.no > block.line.no + _MOST_BETWEEN:
            return False
        for found in _FIELD.finditer(line.text):
            name, value = found["name"], found["value"]
            if name == "JobState":
                block.state, block.line = value, line
            elif name == "Reason":
                block.reason = value
            elif name == "UserId":
                block.user = value
            elif _EXIT.fullmatch(value) and value != "0:0":
                block.exit = value
        return True

    def _keep(self, job: _Job) -> None:
        if MAX_JOBS.has_room(len(self._jobs)):
            self._jobs.append(job)

    def finish(self) -> Iterable[JobEvent]:
        done = max(
            (n for n, job in enumerate(self._jobs) if job.state == "COMPLETED" and "." not in job.job), default=-1
        )
        of_many = len({job.user for job in self._jobs if job.user}) > 1
        crowd = of_many or len({_number(job.job) for job in self._jobs if not job.user}) > 1
        sets = NodeLists(_MOST_NODES, MAX_JOBS)
        left = _MOST_NODES
        for number, job in enumerate(self._jobs):
            if job.state == "PENDING":
                events = list(_waiting(job, sets if left > 0 else NodeLists(0, 0), alone=not crowd))
                left -= len(events)
                yield from events
            elif number > done and not of_many:
                yield from _ended(job)


def _header(text: str) -> Columns | None:
    if "JobID" in text and "State" in text:
        return columns_of(text, ("JobID", "State"), to_the_right=True)
    if "JOBID" in text:
        return columns_of(text, ("JOBID", "ST"), to_the_right=True) or columns_of(text, ("JOBID", "STATE"))
    return None


def _job_of(cells: Mapping[str, str], line: Line) -> _Job | None:
    """The job of a row; None where it is none."""
    job = cells.get("JobID", cells.get("JOBID", ""))
    state = _state(cells.get("State", cells.get("ST", cells.get("STATE", ""))))
    if not job[:1].isdecimal() or not state:
        return None
    reason = cells.get("NODELIST(REASON)", cells.get("REASON", cells.get("Reason", "")))
    ends = [code for code in (cells.get("ExitCode", ""), cells.get("DerivedExitCode", "")) if code not in ("", "0:0")]
    user = cells.get("USER", cells.get("User", ""))
    return _Job(job.split()[0], line, state, reason.strip("() "), ends[0] if ends else "", user)


def _state(text: str) -> str:
    """A state in full, of one that its column cut, has more words behind it (``CANCELLED by 1000``) or is a code."""
    word = (text.split() or [""])[0]
    if word.endswith("+"):
        return next((state for state in _STATES if len(word) > 2 and state.startswith(word[:-1])), "")
    return _SHORT.get(word, word if word in _STATES else "")


def _number(job: str) -> str:
    return job.partition(".")[0]


def _ended(job: _Job) -> Iterator[JobEvent]:
    kind = _ENDED.get(job.state)
    if kind is not None:
        yield _event(kind, job, {"job": job.job}, secondary=kind == "slurm-cancelled" and "." in job.job)
    elif job.state == "FAILED":
        yield _event("slurm-task-exit", job, {"job": job.job, **_exit(job.exit)})


def _exit(text: str) -> dict[str, str]:
    """``9:0`` is code 9, ``0:9`` signal 9; above the signals Slurm has numbers of its own."""
    found = _EXIT.fullmatch(text)
    if found is None:
        return {}
    if found["signal"] != "0":
        return {"signal": found["signal"]} if int(found["signal"]) <= _LAST_SIGNAL else {}
    return {"code": found["code"]} if found["code"] != "0" else {}


def _waiting(job: _Job, sets: NodeLists, *, alone: bool) -> Iterator[JobEvent]:
    """Why a job waits. ``alone``: it is the only one that is shown, so it is the one that matters."""
    gone = _UNAVAILABLE.search(job.reason)
    # A list that is cut, no list or one too many is one name.
    for node in (sets.names(gone["nodes"].strip(",")) or (gone["nodes"],)) if gone is not None else ():
        yield _event(UNAVAILABLE, job, {"job": job.job, "reason": job.reason}, node)
    words = job.reason.replace("_", " ")
    if alone and any(reason in (job.reason, words) for reason in _HELD):
        yield _event("slurm-launch-failed", job, {"job": job.job, "error": job.reason})
    elif alone and job.reason in _NEVER:
        yield _event("slurm-invalid", job, {"job": job.job, "error": job.reason})
    elif gone is None:
        yield _event(PENDING, job, {"job": job.job, "reason": job.reason})


def _event(
    kind: str, job: _Job, groups: dict[str, str], node: str | None = None, *, secondary: bool = False
) -> JobEvent:
    ref = job.line.ref()
    return JobEvent(kind, "slurm", ref.text.strip(), groups, ref, node or job.line.host, secondary=secondary)


PARSER = SlurmJobs
