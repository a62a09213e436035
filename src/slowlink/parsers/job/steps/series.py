"""The paces of one loop, as its lines come in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from msgspec import Struct, field

from slowlink.model.job import TrainingPace
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.rows import NO_NUMBER
from slowlink.parsers.job.steps.landmarks import Landmarks

MAX_STEPS = Limit(1_000_000, "timed lines")
"""Steps kept of one stream; later ones count and are not kept."""
_FALLS = 4
"""Of a counter that grows, at most one in so many falls: it begins anew in each epoch."""

_FEWEST_PAIRS, _NEARLY_ALL = 4, 0.9
_BEGINS_ANEW, _GROWING = 0.6, 0.6
"""A time that begins anew falls to less of the one before; so many lines or more grow between."""


class StepSeries(Struct):
    """Steps of one loop."""

    first: Ref
    last: Ref
    seconds: list[float] = field(default_factory=list)
    count: int = 0
    number: int | None = None
    """Of the last step, as the loop counts."""
    spanned: int = 0
    rises: int = 0
    falls: int = 0
    landmarks: Landmarks = field(default_factory=Landmarks)

    @classmethod
    def begin(cls, line: Line) -> StepSeries:
        ref = line.ref()
        return cls(ref, ref)

    def take(self, seconds: float, line: Line, number: int | None) -> None:
        """One step more."""
        self.take_all((seconds,), () if number is None else (number,), lambda _: line)

    def take_all(self, seconds: Sequence[float], numbers: Iterable[int], line_of: Callable[[int], Line]) -> None:
        """Many steps more, at least one; ``line_of`` gives the line of one of them, by its place among these."""
        self.last = line_of(len(seconds) - 1).ref()
        self.count += len(seconds)
        kept = seconds[: MAX_STEPS.room_for(len(self.seconds), len(seconds))]
        self.landmarks.take(len(self.seconds), kept, line_of)
        self.seconds.extend(kept)
        self._count(numbers)

    def _count(self, numbers: Iterable[int]) -> None:
        rises = falls = spanned = 0
        before = self.number
        for number in numbers:
            if number in (before, NO_NUMBER):
                continue
            if before is not None:
                if number > before:
                    rises += 1
                    spanned += number - before
                else:
                    falls += 1
            before = number
        self.number = before
        self.rises += rises
        self.falls += falls
        self.spanned += spanned

    @property
    def grows(self) -> bool:
        """Does its counter grow? What stays or jumps about is no counter."""
        return self.rises > 0 and self.falls * _FALLS <= self.rises

    @property
    def adds_up(self) -> bool:
        """Do its times grow from nearly every line to the next, as a time since the start does, or from most, and begin
        anew where they do not, as one since the start of an epoch? Of few lines nobody can tell."""
        pairs = list(pairwise(self.seconds))
        fallen = [after / before for before, after in pairs if before >= after and before]
        risen = len(pairs) - len(fallen)
        begins_anew = max(fallen, default=1.0) < _BEGINS_ANEW and risen >= _GROWING * len(pairs)
        return len(pairs) < _FEWEST_PAIRS or risen >= _NEARLY_ALL * len(pairs) or begins_anew

    def pace(self, program: str, *, unit: str = "", work: str = "training", reports: bool = False) -> TrainingPace:
        return TrainingPace(
            program,
            tuple(self.seconds),
            self.count,
            self.last,
            ref=self.first,
            spanned=self.spanned,
            unit=unit,
            work=work,
            reports=reports,
            landmarks=tuple(landmark for _, landmark in self.landmarks.slowest),
        )
