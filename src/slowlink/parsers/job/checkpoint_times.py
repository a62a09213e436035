"""How long a training wrote its checkpoints, as its log tells: by a time in the line, or by two stamps::

    Finished saving the checkpoint in 6.20 seconds.
        save-checkpoint ................................: (9104.11, 9204.60)
    10:00:30 INFO Saving checkpoint to /ckpt/step_10
    10:00:50 INFO Checkpoint saved

Ranks that say the same one after the other wrote one checkpoint. What is written while steps go on costs none of their
time: lines that say so are left out, and two stamps count only where next to nothing stands between them.

Sources: torchtitan ``CheckpointManager``; Megatron-LM's timers (milliseconds; of the slowest rank); and words of loops
that people write.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.job import JobEvent
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.marked_lines import is_library_line, quotes_code
from slowlink.patterns import regex

KIND, ORIGIN = "checkpoint-time", "training"
MOST_CHARACTERS = 400
MOST_CHECKPOINTS = Limit(100_000, "checkpoints")
_GAP = 4
"""Lines from the stamp of the beginning to that of the end; steps that go on meanwhile print more."""
_FRONT = 24
"""Characters in which a line begins with its own time, where no date makes it a stamp."""
_LONGEST = 6 * 3600.0
_NUMBER = r"(?P<value>\d{1,9}(?:\.\d{1,6})?)"
_UNIT = r"(?P<unit>ms|milliseconds?|s|secs?|seconds?|min|minutes?)"
_SAVES = regex(
    r"(?i)(?<![a-z])(?:sav(?:e|ed|ing)|writ(?:e|ing|ten)|wrote|stor(?:ed|ing)|dump(?:ed|ing)|persisted)(?![a-z])"
)
_TOOK = regex(
    rf"(?i)(?<![a-z])(?:in|took|takes|time|elapsed|duration|after|cost)[\s:=(]{{1,4}}{_NUMBER}\s?{_UNIT}(?![\w/])"
)
_NAMED = regex(rf"(?i)(?:time|duration|elapsed)(?:[_ ]?(?:in[_ ])?[(]?{_UNIT}[)]?)[\"']?\s?[:=]\s?{_NUMBER}(?![\w.])")
_TIMER = regex(r"\s*save-checkpoint(?:-non-persistent)? \.{3,80}: \(?[\d.]{1,20}(?:, )?(?P<value>[\d.]{1,20})?\)?\s*")
_BEGINS = regex(r"(?i)(?<![a-z])(?:saving|writing|start(?:ed|ing)? (?:to )?(?:sav|writ)\w{1,3})(?![a-z])")
_ENDS = regex(r"(?i)(?<![a-z])(?:saved|wrote|written|(?:finished|done) (?:sav|writ)ing)(?![a-z])")
_OTHER = regex(r"(?i)activation|gradient|recomput|load|restor|resum|delet|remov|every|interval|will be|next|fail")
_MEANWHILE = regex(r"(?i)(?<!if )async|background|schedul")
_CLOCK = regex(r"(?<!\d)(?P<hour>[0-2]?\d):(?P<minute>[0-5]\d):(?P<second>[0-5]\d(?:[.,]\d{1,6})?)")


class CheckpointTimes:
    """Sums up the checkpoints of one stream."""

    kind: ClassVar[str] = "checkpoints"
    literals: ClassVar[Literals] = Literals(("checkpoint", "check-point", "ckpt"), fold=True)

    def __init__(self) -> None:
        self._told: list[float] = []
        self._between: list[float] = []
        """By stamps."""
        self._worst: Ref | None = None
        self._longest = 0.0
        self._last: tuple[int, bytes] = (0, b"")
        self._begun: tuple[int, float] | None = None
        self._meanwhile = False

    @staticmethod
    def wants(text: str) -> bool:
        lowered = text.lower()
        named = any(word in lowered for word in ("checkpoint", "check-point", "ckpt"))
        return named and len(text) < MOST_CHARACTERS and _SAVES.search(text) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        text = line.text
        if is_library_line(text) or quotes_code(text) or _OTHER.search(text):
            return Use.NOT_MINE
        if _MEANWHILE.search(text):
            self._meanwhile = True
            return Use.NOT_MINE
        seconds = _told(text)
        if seconds is not None:
            self._add(self._told, seconds, line)
            return Use.USED
        return self._stamped(line)

    def _stamped(self, line: Line) -> Use:
        now = _clock(line.text[:_FRONT])
        now = _clock(line.stamp or "") if now is None else now
        if now is None:
            return Use.NOT_MINE
        if _ENDS.search(line.text):
            if self._begun is not None and line.no - self._begun[0] <= _GAP:
                self._add(self._between, (now - self._begun[1]) % 86400.0, line)
            self._begun = None
            return Use.USED
        if _BEGINS.search(line.text):
            self._begun = self._begun if self._begun and line.no - self._begun[0] <= _GAP else (line.no, now)
            return Use.USED
        return Use.NOT_MINE

    def _add(self, times: list[float], seconds: float, line: Line) -> None:
        """One checkpoint, or another rank's word on the last one."""
        number, shape = self._last
        self._last = line.no, shape_of(line.text)
        if seconds > _LONGEST:
            return
        if seconds > self._longest:
            self._worst, self._longest = line.ref(), seconds
        if times and number == line.no - 1 and shape == self._last[1]:
            times[-1] = max(times[-1], seconds)
        elif MOST_CHECKPOINTS.has_room(len(times)):
            times.append(seconds)

    def finish(self) -> Iterable[JobEvent]:
        times = self._told or ([] if self._meanwhile else self._between)
        if times and self._worst is not None:
            groups = {"count": str(len(times)), "seconds": f"{sum(times):.6g}", "longest": f"{max(times):.6g}"}
            yield JobEvent(KIND, ORIGIN, self._worst.text.strip(), groups, self._worst)


def _told(text: str) -> float | None:
    """Seconds that the line itself tells."""
    timer = _TIMER.fullmatch(text)
    if timer is not None:
        number = timer["value"] or text.rpartition(":")[2].strip(" ()")
        return float(number) / 1e3 if number.replace(".", "", 1).isdecimal() else None
    found = _TOOK.search(text) or _NAMED.search(text)
    if found is None:
        return None
    unit = found["unit"].lower()
    return float(found["value"]) * (1e-3 if unit.startswith(("ms", "milli")) else 60.0 if unit.startswith("min") else 1)


def _clock(stamp: str) -> float | None:
    """Seconds since midnight."""
    found = _CLOCK.search(stamp)
    if found is None:
        return None
    return int(found["hour"]) * 3600 + int(found["minute"]) * 60 + float(found["second"].replace(",", "."))


PARSER = CheckpointTimes
