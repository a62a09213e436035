"""Does slowlink give a line a meaning? Its own reader reads the line, and its own rules look at it.

A line has a meaning when something is concluded or recorded from it that the same program's *nonsense* does not give
as well: a reader that takes every error of a program as "an error" understands none of them.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path

from msgspec import Struct

import slowlink
from slowlink.catalog.causes import cause
from slowlink.catalog.vocabulary import Meaning, meaning_of, programs
from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.model.report import Finding
from slowlink.parsers import unit_names
from slowlink.parsers.forms.message_table import MessageParser
from slowlink.parsers.job.program_messages import meaning_in
from slowlink.parsers.reading.read import read
from slowlink.workflows.analyze import report_of

CLASSES = ("cause", "symptom", "fact", "harmless")
NONSENSE = "frobnicated quux zyzzyva of grommet"
IGNORED = "(ignored)"
"""Stands among what the nonsense gives where slowlink ignores it: then to be ignored is no meaning."""
BROAD = frozenset(
    {
        "driver-step-failed",
        "driver-setting-refused",
        "dcgm-request",
        "dcgm-own-trouble",
        "container-setup-failed",
    }
)
"""Kinds that say no more than that some program complains, by words such as "failed" or "invalid". They keep a reader
of free words from taking such a line for more; as a meaning they count for nothing."""
PLAIN = ("runs", "perftests", "matrices", "env", "readings", "collected", "ras", "flights", "observations")


class Judged(Struct, frozen=True):
    """What one line means to slowlink; ``sort`` is "" for a line without a meaning."""

    sort: str
    said: str
    """The kind, the cause, or the fact."""


def judge(text: str, nothing: frozenset[str]) -> Judged:
    """The class of a line's meaning. ``nothing``: what the program's nonsense gives, too."""
    records = records_of(text)
    kinds = kinds_of(records) - nothing
    if not kinds:
        unread = any(source.unread for source in records.sources) or nothing & kinds_of(records)
        ignored = sum(source.ignored for source in records.sources)
        known = meaning_in(text)
        told = ignored and not unread and (IGNORED not in nothing if known is None else not known.broad)
        return Judged("harmless", "ignored on purpose") if told else Judged("", "")
    kinds -= BROAD
    if not kinds:
        return Judged("", "")
    declared = [meaning for kind in sorted(kinds) if (meaning := _meaning(kind)) is not None and not meaning.broad]
    if not declared and any(_meaning(kind) is not None for kind in kinds):
        return Judged("", "")
    if declared and (declared[0].sort != "cause" or findings_of(records)):
        return Judged(declared[0].sort, declared[0].kind)
    found = [each for each in findings_of(records) if each.severity != "info"]
    if found:
        return Judged(cause(found[0].cause).kind, found[0].cause)
    messages = {event.kind for event in records.events} | {w.message for log in records.logs for w in log.warnings}
    if not messages & kinds:
        return Judged("fact", min(kinds))
    name = min(messages & kinds)
    if name in without_use():
        return Judged("harmless", name)
    echo = any(event.secondary for event in records.events)
    echo = echo or any(warning.secondary for log in records.logs for warning in log.warnings)
    return Judged("symptom", name) if echo or name in spelled() else Judged("", "")


def records_of(text: str) -> Records:
    """What slowlink reads of a source that holds only ``text``."""
    return read([Input("line", None, [text.encode() + b"\n"])], workers=1)


def findings_of(records: Records) -> tuple[Finding, ...]:
    """What slowlink concludes from ``records`` alone."""
    return report_of(records).findings


def kinds_of(records: Records) -> frozenset[str]:
    """Names of everything that was read."""
    logs = {field for log in records.logs for field in log.__struct_fields__ if _tells(getattr(log, field))}
    return frozenset(
        {event.kind for event in records.events}
        | {warning.message for log in records.logs for warning in log.warnings}
        | {observation.kind for observation in records.observations}
        | {name for name in PLAIN if name != "observations" and getattr(records, name)}
        | (logs - {"source", "lines", "unknown", "subsystems", "processes", "warnings"})
    )


def _tells(value: object) -> bool:
    return bool(value) and not isinstance(value, (str, int))


def _meaning(kind: str) -> Meaning | None:
    return next(filter(None, (meaning_of(name, kind) for name in programs())), None)


def nonsense_kinds(line: str) -> frozenset[str]:
    """What slowlink makes of a line of the program that means nothing at all."""
    records = records_of(line)
    return kinds_of(records) | ({IGNORED} if any(source.ignored for source in records.sources) else frozenset())


@cache
def without_use() -> frozenset[str]:
    """Kinds of events that a parser's table declares harmless."""
    units = [getattr(import_module(name), "PARSER", None) for name in unit_names()]
    tables = [unit for unit in units if isinstance(unit, type) and issubclass(unit, MessageParser)]
    return frozenset(entry.kind for unit in tables for entry in unit.messages if entry.harmless)


@cache
def spelled() -> frozenset[str]:
    """Names that some rule asks for."""
    root = Path(slowlink.__file__).parent / "rules"
    texts = [path.read_text(encoding="utf-8") for path in root.rglob("*.py")]
    return frozenset(name for text in texts for name in re.findall(r"[\"']([a-z0-9]+(?:-[a-z0-9]+)*)[\"']", text))
