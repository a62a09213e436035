"""A program reported an error, and nothing that was read says why.

Drivers, libraries and tools have many words for "a step of mine failed". They are known, and tell no cause: the reason
stands elsewhere, and is found by the rule of that reason. Where none was found the error remains as a question. It is a
warning that leaves the verdict open: a benchmark on one node says nothing about a queue that failed on another.

Why it matters: what is sick is often seen first in errors that stop nothing yet.
How to confirm: read the lines around it, and give slowlink the logs of that node from that time.
What to do: what the lines around it say.
When it is wrong: when the program tried again and went on. An error that a benchmark, a step of training or the success
of the same output follows is none, nor is what the libraries of MPI grumble in a run that ends well, nor what a
program marks as information.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

from slowlink.catalog.vocabulary import Meaning
from slowlink.model.benchmark import MpiTables
from slowlink.model.facts import Events, Observations, Of, Paces, Readings, Sweeps, Warnings
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.rules.evidence.boots import KERNEL, Boots
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.meanings import meant
from slowlink.rules.evidence.messages import (
    LogMessage,
    at_hosts,
    counted,
    happened,
    host_of,
    hosts_of,
    refs_of,
    times_printed,
)
from slowlink.rules.job.grumbles import runs_ended

CAUSES = ("error-unexplained",)

_MOST = 4
_NO_ERROR = ("i", "info", "d", "debug", "notice")
"""How programs mark what is no error."""
_WARNING = ("w", "warning")
_BY_TOPIC = ("nvidia-container", "nvidia-kubernetes")
"""Programs whose vocabulary knows what a line is about rather than what became of it: healthy nodes have their
warnings."""


def check(
    events: Events | None,
    warnings: Warnings | None,
    sweeps: Sweeps | None,
    tables: MpiTables | None,
    paces: Paces | None,
    kernels: Annotated[Readings, Of(KERNEL)] | None,
    observations: Observations | None,
) -> Iterator[Finding]:
    """One finding for each kind of error, of the first few; those that explain them are found elsewhere."""
    ended = runs_ended(events or Events(()), sweeps, tables)
    went_on = _work_went_on(events, sweeps, paces)
    boots = Boots(kernels, observations)
    found: dict[tuple[str, str], tuple[Meaning, list[LogMessage]]] = {}
    for message, meaning in meant(events, warnings):
        if not _is_open(message, meaning) or (isinstance(message, JobEvent) and ended.forgive(message)):
            continue
        last = int(message.groups.get("last", message.ref.line))
        booted = boots.behind(message.ref, host_of(message))
        if last >= went_on.get(message.ref.source, 0) and booted is None:
            found.setdefault((meaning.program, meaning.kind), (meaning, []))[1].append(message)
    first = list(found.values())[:_MOST]
    more = f"; and {counted(len(found) - _MOST, 'other kind')} of error" if len(found) > _MOST else ""
    for number, (meaning, messages) in enumerate(first, 1):
        yield _finding(meaning, messages, more if number == _MOST else "")


def _is_open(message: LogMessage, meaning: Meaning) -> bool:
    """Is it an error whose reason stands elsewhere, and no consequence of another process's end? A broad meaning is as
    good as none: it may be about anything."""
    grave = meaning.sort == "symptom" and not meaning.cause and meaning.severity in ("error", "critical")
    told = not _is_mild(message, meaning) if isinstance(message, JobEvent) else message.level == "WARN"
    return grave and told and not (meaning.broad or meaning.secondary or message.secondary)


def _is_mild(event: JobEvent, meaning: Meaning) -> bool:
    """Does the program say itself that this is no error? Known words are about a part of it, and it speaks of that part
    when all is well, too."""
    mark = event.groups.get("level", event.groups.get("word", "")).lower()
    return mark in _NO_ERROR or (meaning.program in _BY_TOPIC and mark in _WARNING)


def _work_went_on(events: Events | None, sweeps: Sweeps | None, paces: Paces | None) -> Mapping[str, int]:
    """Source -> the last line that shows that its job did its work."""
    refs = [event.ref for event in happened(events, "run-succeeded")]
    refs += [sweep.run.points[-1].ref for sweep in (sweeps.all if sweeps is not None else ()) if sweep.run.points]
    refs += [pace.last for pace in (paces.all if paces is not None else ())]
    last: dict[str, int] = {}
    for ref in refs:
        last[ref.source] = max(last.get(ref.source, 0), ref.line)
    return last


def _finding(meaning: Meaning, messages: list[LogMessage], more: str) -> Finding:
    """``more``: that there are errors of which no finding tells."""
    times = times_printed(messages)
    often = f", {counted(times, 'time')}" if times > 1 else ""
    return finding(
        "error-unexplained",
        f"{at_hosts(hosts_of(messages))}{meaning.says}{often}, and nothing says why{more}",
        severity="warning",
        confidence="possible",
        evidence=lines_evidence(refs_of(messages)),
        suspects=suspects("node", hosts_of(messages)),
        remedy=meaning.remedy
        or [(f"Read the lines around line {messages[0].ref.line} of {messages[0].ref.source}.", "")],
    )
