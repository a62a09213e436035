"""The paces of one loop, as its lines come in."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field

from slowlink.model.job import TrainingPace
from slowlink.model.source import Line, Ref
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.rows import NO_NUMBER

MAX_STEPS = Limit(1_000_000, "timed lines")
"""Steps kept of one stream; later ones count and are not kept."""
_FALLS = 4
"""Of a counter that grows, at most one in so many falls: it begins anew in each epoch."""


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

    @classmethod
    def begin(cls, line: Line) -> StepSeries:
        ref = line.ref()
        return cls(ref, ref)

    def take(self, seconds: float, line: Line, number: int | None) -> None:
        """One step more."""
        self.last = line.ref()
        self.count += 1
        if MAX_STEPS.has_room(len(self.seconds)):
            self.seconds.append(seconds)
        if number is not None:
            self._count((number,))

    def take_all(self, seconds: list[float], numbers: Iterable[int], last: Line) -> None:
        """Many steps more; ``last`` is the line of the last."""
        self.last = last.ref()
        self.count += len(seconds)
        self.seconds.extend(seconds[: MAX_STEPS.room_for(len(self.seconds), len(seconds))])
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

    def pace(self, program: str, *, unit: str = "", work: str = "training") -> TrainingPace:
        return TrainingPace(
            program,
            tuple(self.seconds),
            self.count,
            self.last,
            ref=self.first,
            spanned=self.spanned,
            unit=unit,
            work=work,
        )
