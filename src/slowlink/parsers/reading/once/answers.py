"""Answers of collectors in the transcript of a node: each is read by itself, equal ones of all nodes are read once.

What one tool printed ends where its frame ends; no parser goes on behind it. So what an answer gives depends on its
text alone: it is read as if it began in line 1, and its records are moved to where it stands. An answer that came
before, from whatever node, is not read again.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import compress, groupby, pairwise, repeat
from typing import Literal, cast

from msgspec import Struct, field
from msgspec.structs import replace

from slowlink.model.job import JobEvent, Observation
from slowlink.model.source import Ref
from slowlink.model.state import Collected, Reading
from slowlink.parsers.context.collector_frames import FRAME, told_by_frame
from slowlink.parsers.forms.interface import Record, Use
from slowlink.parsers.forms.json_blocks import opens_block
from slowlink.parsers.forms.lines import Dialect
from slowlink.parsers.reading.once.alike import Alike, Moved, Original

_HEAD = re.compile(rb"#slowlink-transcript 1 (\w{1,64}) host ")
_MOST_LINES = 200_000
"""Of all answers that are kept."""
_MOST_SEEN = 1 << 17
LIBRARY_NAMES = (b" NCCL ", b" MCCL ", b" RCCL ")
_MAY_OPEN = ("\n{", "\n[")
_MOVED = (Reading, JobEvent, Observation, Collected)
"""Records that tell their line in ``ref`` and nowhere else."""


Piece = Literal["answer", "frames", "rest"]
"""Of a transcript: one whole answer, nothing but frames, or anything else."""


class Answer(Struct):
    """What was read from one answer, as if it were a source of its own that begins in line 1."""

    records: list[Record]
    kinds: dict[str, int]
    """Kind -> the first line of it."""
    counts: dict[Use, int]
    lines: int
    texts: int
    """Lines that are not blank."""
    samples: dict[bytes, Ref]
    """Unread lines by shape."""
    parted: bool = False
    """Prompts or headings in it say where its lines come from."""
    original: Original | None = None
    """Of its readings, where others are like it."""
    beside: tuple[int, ...] = ()
    """Places of records that are none."""
    changed: dict[int, Record] = field(default_factory=dict)
    """What stands at some places instead of ``records``."""

    def becomes_original(self) -> None:
        """From now on others may be like it."""
        readings = [each for each in self.records if type(each) is Reading] if self.original is None else []
        if readings:
            self.original = Original(readings)
            self.beside = tuple(place for place, each in enumerate(self.records) if type(each) is not Reading)

    def found_at(self, move: Moved) -> list[Record | Alike]:
        """What it gives where it stands."""
        if self.original is None:
            return [*moved(map(self._record, range(len(self.records))), move)]
        beside = self.beside
        changed = {
            place - bisect_left(beside, place): cast(Reading, each)
            for place, each in self.changed.items()
            if place not in beside
        }
        return [Alike(self.original, changed, move), *moved(map(self._record, beside), move)]

    def _record(self, place: int) -> Record:
        return self.changed.get(place, self.records[place])

    def is_anybodys(self, source: str, place: str) -> bool:
        """May it stand for the answer of another node with the same text? Not where it names its own."""
        told = [_told(each) for each in self.records]
        return not any(name and name in text for name in (source, place) for text in told)


def can_be_moved(record: Record) -> bool:
    """Does it know its line by its evidence alone?"""
    return isinstance(record, _MOVED)


def _told(record: Record) -> str:
    """What it says beside its line."""
    if isinstance(record, Reading):
        return f"{record.part.name}\n{record.value}\n{record.host}"
    if isinstance(record, Collected):
        return f"{record.collector}\n{record.detail}\n{record.host}"
    if isinstance(record, JobEvent):
        return f"{record.text}\n{record.host}\n{record.groups}"
    assert isinstance(record, Observation)
    return f"{record.subject}\n{record.value}\n{record.host}"


def moved(records: Iterable[Record], move: Moved) -> list[Record]:
    """The records where their answer stands."""
    found: list[Record] = []
    for kind, same in groupby(records, type):
        if kind is Reading:
            found.extend(move.readings(cast(Iterable[Reading], same)))
        else:
            found.extend(replace(each, ref=move.ref(each.ref)) for each in same)  # type: ignore[union-attr]
    return found


class Kept:
    """Answers that came twice, by their text and the dialect in which it was read."""

    def __init__(self, most_lines: int = _MOST_LINES) -> None:
        self._most_lines = most_lines
        self._answers: dict[tuple[Dialect, str], Answer] = {}
        self._lines = 0
        self._seen: set[int] = set()

    def get(self, key: tuple[Dialect, str]) -> Answer | None:
        return self._answers.get(key)

    def met(self, key: tuple[Dialect, str], answer: Answer) -> None:
        """Keeps ``answer`` when its text comes for the second time: most of what differs never comes again."""
        number = hash(key)
        if number not in self._seen:
            if len(self._seen) >= _MOST_SEEN:
                self._seen.clear()
            self._seen.add(number)
            return
        if self._lines + answer.lines > self._most_lines:
            self._answers.clear()
            self._lines = 0
        answer.becomes_original()
        self._answers[key] = answer
        self._lines += answer.lines


KEPT = Kept()
"""Of all sources that this process reads."""


def is_transcript(part: bytes) -> bool:
    """Does a transcript begin with this part of a source?"""
    return _HEAD.match(part) is not None


def apart(lines: Sequence[str]) -> Iterator[tuple[int, Sequence[str], Piece]]:
    """The lines of a transcript in stretches: place of the first, the lines, and what they are."""
    found = _HEAD.match(lines[0].encode("utf-8", "replace")) if lines else None
    mark = found[1].decode() if found else ""
    places = compress(range(len(lines)), map(str.startswith, lines, repeat(FRAME)))
    frames = {place: told for place in places if (told := told_by_frame(lines[place], mark)) is not None}
    rest = 0
    for (begin, (what, name)), (end, behind) in pairwise(frames.items()):
        if what == "begin" and behind == ("end", name) and end - begin > 1 and _is_alone(lines[begin + 1 : end]):
            yield rest, lines[rest : begin + 1], _between(frames, rest, begin + 1)
            yield begin + 1, lines[begin + 1 : end], "answer"
            rest = end
    yield rest, lines[rest:], _between(frames, rest, len(lines))


def _between(frames: Container[int], begin: int, end: int) -> Piece:
    return "frames" if all(place in frames for place in range(begin, end)) else "rest"


def _is_alone(lines: Sequence[str]) -> bool:
    """What holds lines of NCCL's log or JSON values is read with the rest of its source, which knows what those go on
    with. The kernel's log has brackets, too."""
    text = "\n" + "\n".join(lines)
    if "CCL " in text:
        return False
    return not any(mark in text for mark in _MAY_OPEN) or not any(map(opens_block, lines))
