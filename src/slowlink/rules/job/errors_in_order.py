"""The errors of a job in order: which came first, and which only follow from another's failure."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from slowlink.model.facts import Events, Sources, State
from slowlink.model.job import JobEvent
from slowlink.patterns import regex
from slowlink.rules.evidence.messages import hosts_of

_KINDS = ("error-line", "rank-exception", "ucx-error", "program-error", "cuda-error", "cuda-out-of-memory")
_ENDS = frozenset(
    {
        "slurm-task-exit",
        "process-exited",
        "process-killed",
        "process-aborted",
        "ompi-process-exited",
        "command-exited",
    }
)
_LAUNCHERS = frozenset({"slurm", "openmpi", "mpich", "pals"})
_OF_JOBS = _LAUNCHERS | {"pytorch", "training", "batch", "kubernetes", "ucx", "libfabric"}
_SAYS_NOTHING = frozenset({"errors", "complaints", "prompts"})
"""Kinds of inputs in which nothing but the status was known."""
_BARE_STATUS = regex(r"\W{0,8}(?:exit(?:ed)?|return(?:ed)?|rc|status)\b[\w :=]{0,30}\W{0,4}")
"""``exit code: 1`` names no program."""
_ASKED = regex(r"(?i)\b(?:143|130)\b|interrupt|ctrl-c")
"""A status that says SIGTERM or SIGINT."""
_ENDING = ("exception", "fatal")
"""Forms of an error that end a program."""
_ECHO = regex(
    r"(?i)connection (?:was )?(?:reset|closed|aborted|lost)|broken pipe|remote process exited|peer (?:exited"
    r"|gone|closed)"
    r"|(?:communicator|collective|nccl)\w*.{0,40}\babort|watchdog|heartbeat|tcpstore|diststoreerror|distnetworkerror"
    r"|sendbytes|recvvalue|store.{0,20}timeout|signal 15|sigterm|signalexception|terminated|childfailederror"
    r"|sending process|timed? ?out|socket (?:timeout|closed)|eoferror|keyboardinterrupt|killed by signal: term"
    r"|exit(?:ed|s)? (?:with )?(?:non-zero )?(?:exit )?(?:code|status)|exit=|mpi_abort|exiting|cleaning up"
    r"|shutting down"
)
"""What ranks print because another one is gone."""
_NUMBERS = regex(r"\d+")
_NEAR_LINES, _NEAR_SHARE = 30, 0.1
"""An error is at the end of its source within so many lines, or within this share of them."""


class Errors(Struct, frozen=True):
    """All errors of a job, and the one to begin with."""

    first: JobEvent
    alike: tuple[JobEvent, ...]
    """The same error, of other ranks, too."""
    count: int
    """Of all errors, each as often as it was printed."""
    ended: bool
    """Did a program end with them? Otherwise they may have been survived."""
    last: bool
    """Do they stand at the end of the output?"""
    echo: bool
    """Are there only lines that follow from another's failure?"""

    @property
    def ranks(self) -> tuple[int, ...]:
        """Ranks that print the first error."""
        return tuple(sorted({event.rank for event in self.alike if event.rank is not None}))

    @property
    def hosts(self) -> tuple[str, ...]:
        """Nodes of it."""
        return hosts_of(self.alike)


def errors_of(events: Events, sources: Sources) -> Errors | None:
    """The errors of all programs in the input; None where no line is marked as one."""
    found = [e for e in events.all if _is_error(e)]
    if not found:
        return None
    own = [event for event in found if not is_echo(event)]
    ending = [event for event in own if ends_a_program(event)]
    first = _first(ending or own or found)
    alike = tuple(event for event in found if _shape(event) == _shape(first))
    marked = [event for event in found if event.groups.get("form") != "end"] or found
    return Errors(
        first,
        alike,
        sum(event.count for event in marked),
        ended=bool(ending) or any(_is_end(event) for event in found),
        last=_at_the_end(alike, sources),
        echo=not own,
    )


def is_status_of_a_tool(errors: Errors, events: Events, state: State | None, sources: Sources) -> bool:
    """Are there only exit statuses, in sources that show nothing of a job: the state of a node, or nothing else that is
    known and no program that ended?"""
    if not errors.echo or not all(e.groups.get("form") == "end" and e.rank is None for e in errors.alike):
        return False
    ended = {event.ref.source for event in errors.alike}
    all_state = state.readings.values() if state is not None else ()
    told = {reading.ref.source for readings in all_state for reading in readings.all}
    of_jobs = {e.ref.source for e in events.all if e.origin in _OF_JOBS or e.rank is not None}
    bare = all(_BARE_STATUS.fullmatch(event.text) for event in errors.alike)
    unknown = {source.path for source in sources.all if set(source.kinds) <= _SAYS_NOTHING} if bare else set()
    return ended <= (told | unknown) - of_jobs


def is_echo(event: JobEvent) -> bool:
    """Does this line follow from the failure of another rank?"""
    return event.secondary or event.groups.get("form") == "end" or event.kind in _ENDS or bool(_ECHO.search(event.text))


def ends_a_program(event: JobEvent) -> bool:
    """An exception or a fatal error: the program that prints it goes no further, as a rule."""
    return event.groups.get("form") in _ENDING or event.kind in ("rank-exception", "cuda-error", "cuda-out-of-memory")


def said_by(event: JobEvent) -> str:
    """What the program says, without the mark in front of it."""
    groups = event.groups
    if groups.get("detail") and (event.kind == "rank-exception" or groups.get("form") == "exception"):
        return f"{groups.get('error', '')}: {groups['detail']}"
    if groups.get("form") == "exception" and not groups.get("text"):
        return event.text
    return (groups.get("text") or groups.get("error") or event.text).strip('" ')


def _is_error(event: JobEvent) -> bool:
    return event.kind in _KINDS or event.kind in _ENDS or event.level == "error"


def _is_end(event: JobEvent) -> bool:
    """Does it say that a process ended, and not because somebody asked it to?"""
    ends = event.groups.get("form") == "end" or event.kind in _ENDS or event.origin in _LAUNCHERS
    return ends and _ASKED.search(event.text) is None


def _shape(event: JobEvent) -> str:
    return _NUMBERS.sub("0", said_by(event))


def _first(events: Sequence[JobEvent]) -> JobEvent:
    """The first of one source; of several sources the first of what most of them say, for their clocks are unknown."""
    sources: dict[str, set[tuple[str, int | None]]] = {}
    for event in events:
        sources.setdefault(_shape(event), set()).add((event.ref.source, event.rank))
    if len({event.ref.source for event in events}) == 1:
        return min(events, key=lambda event: event.ref.line)
    most = max(len(who) for who in sources.values())
    return next(event for event in events if len(sources[_shape(event)]) == most)


def _at_the_end(events: Sequence[JobEvent], sources: Sources) -> bool:
    lengths = {source.path: source.lines for source in sources.all}
    for event in events:
        length = lengths.get(event.ref.source, 0)
        last = int(event.groups.get("last", event.ref.line))
        if length - last <= max(_NEAR_LINES, _NEAR_SHARE * length):
            return True
    return False
