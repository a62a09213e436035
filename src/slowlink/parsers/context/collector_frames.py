"""Transcripts of ``slowlink snapshot``: which collector printed what follows, on which node and when.

The lines between the outputs::

    #slowlink-transcript 1 c0ffee host gpu07 at 1795000000.5
    #slowlink-frame c0ffee begin uname at 1795000000.6
    #slowlink-frame c0ffee end uname ran at 1795000000.7 status 0
    #slowlink-transcript 1 c0ffee done at 1795000000.8

The form is written by ``collectors.script``. The first line names a mark; frames with another mark were printed by
something that wants to pass for a collector, and count as nothing. A collector without an end was cut off, and failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Collected
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.patterns import regex

MAX_FRAMES = Limit(100_000, "frames")
NODE = "node"
"""Collector of the frame of a node that did not answer."""
CUT_OFF = "the transcript ends before it does"
_TIME = r"(?P<at>\d{1,12}(?:\.\d{1,9})?)"
_HEAD = regex(
    r"#slowlink-transcript 1 (?P<mark>\w{1,64}) "
    rf"(?:host (?P<host>[\w.:-]{{1,255}})(?: node (?P<node>[\w.:-]{{1,255}}))?|(?P<done>done)) at {_TIME}"
)
FRAME = "#slowlink-frame "
_FRAME = regex(
    rf"{FRAME}(?P<mark>\w{{1,64}}) (?P<what>begin|end|skipped|lost|has) (?P<name>[\w-]{{1,64}})"
    rf"(?: (?P<outcome>ran|skipped|failed|timeout))? at {_TIME}(?: status (?P<status>\d{{1,3}}|-))?"
    r"(?:: ?(?P<detail>.{0,600}))?"
)


class Frame(Struct, frozen=True):
    """One line between the outputs of collectors."""

    what: str
    """``begin``, ``end``, ``skipped``, ``lost`` (no answer of the node), ``has`` (its programs are there)."""
    name: str
    outcome: str
    at: float
    status: int | None
    detail: str


def frame_of(text: str, mark: str) -> Frame | None:
    """The frame that a line is; None for any other line, also for a frame of another mark."""
    found = _match(text, mark)
    if found is None:
        return None
    status = found["status"]
    return Frame(
        what=found["what"],
        name=found["name"],
        outcome=found["outcome"] or "",
        at=float(found["at"]),
        status=int(status) if status is not None and status != "-" else None,
        detail=(found["detail"] or "").strip(),
    )


def told_by_frame(text: str, mark: str) -> tuple[str, str] | None:
    """What a frame tells, of which collector; None for any other line."""
    found = _match(text, mark)
    return (found["what"], found["name"]) if found is not None else None


def _match(text: str, mark: str) -> re.Match[str] | None:
    found = _FRAME.fullmatch(text.rstrip()) if text.startswith(FRAME) else None
    return found if found is not None and found["mark"] == mark else None


class CollectorFrames:
    """Gives one ``Collected`` for each time that a collector ran, was skipped, or was cut off."""

    kind: ClassVar[str] = "snapshot"
    literals: ClassVar[Literals] = Literals(("\n#slowlink-",))

    def __init__(self) -> None:
        self._mark: str | None = None
        self._host: str | None = None
        self._found: list[Collected] = []
        self._open: int | None = None
        """Place in ``_found`` of the collector whose output goes by."""

    @property
    def place(self) -> str | None:
        return self._host

    @property
    def section(self) -> Collected | None:
        """The collector whose output goes by, and when it began."""
        return self._found[self._open] if self._open is not None else None

    @staticmethod
    def wants(text: str) -> bool:
        return text.startswith("#slowlink-")

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        head = _HEAD.fullmatch(line.text.rstrip())
        if head is not None:
            return self._head(head)
        frame = frame_of(line.text, self._mark) if self._mark is not None else None
        if frame is None:
            return Use.NOT_MINE
        if frame.what == "end":
            self._end(frame)
        elif frame.what != "has" and MAX_FRAMES.has_room(len(self._found)):
            self._begin(frame, line)
        return Use.USED

    def finish(self) -> Iterable[Collected]:
        return self._found

    def _head(self, head: re.Match[str]) -> Use:
        if head["done"]:
            if head["mark"] != self._mark:
                return Use.NOT_MINE
            self._mark, self._open = None, None
            return Use.IGNORED
        # Inside a transcript there is no other one: transcripts that were joined have an end each.
        if self._mark is not None:
            return Use.NOT_MINE
        self._mark, self._host = head["mark"], head["node"] or head["host"]
        return Use.USED

    def _begin(self, frame: Frame, line: Line) -> None:
        if frame.what == "begin":
            self._open, outcome, detail = len(self._found), "failed", CUT_OFF
        else:
            self._open, outcome, detail = None, "skipped" if frame.what == "skipped" else "failed", frame.detail
        self._found.append(Collected(frame.name, outcome, detail, line.ref(), self._host, frame.at))

    def _end(self, frame: Frame) -> None:
        if self._open is None or self._found[self._open].collector != frame.name:
            return
        outcome = frame.outcome or "failed"
        detail = frame.detail
        if outcome == "failed" and frame.status is not None:
            detail = f"exit status {frame.status}{f': {detail}' if detail else ''}"
        self._found[self._open] = replace(self._found[self._open], outcome=outcome, detail=detail)
        self._open = None


PARSER = CollectorFrames
