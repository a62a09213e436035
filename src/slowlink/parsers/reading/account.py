"""What becomes of the lines of a source: each is counted once, under one use."""

from __future__ import annotations

from slowlink.inputs import Input
from slowlink.model.source import Ref, SourceStats
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.reading.scan import SAMPLES


def _place(ref: Ref) -> tuple[int, str]:
    """What a progress bar wrote into one line stands in one order, whichever part of it was read first."""
    return ref.line, ref.text


class Account:
    """Of one source."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._kinds: dict[str, int] = {}
        """Kind -> the first line of it."""
        self._counts = dict.fromkeys(Use, 0)
        self._lines = 0
        self._samples: dict[bytes, Ref] = {}
        self._limit = ""
        self._texts = 0
        """Lines before this part that are neither blank nor documents."""

    def note_problem(self, problem: str) -> None:
        """Something of the source was not read; "" for nothing."""
        self._limit = self._limit or problem

    def stats(self, size: int, item: Input) -> SourceStats:
        """What became of the lines of ``item``, which gave ``size`` bytes."""
        return SourceStats(
            path=self._name,
            kinds=tuple(sorted(self._kinds, key=self._kinds.__getitem__)),
            size_bytes=size,
            lines=self._lines,
            used=self._counts[Use.USED],
            ignored=self._counts[Use.IGNORED],
            unread=self._counts[Use.NOT_MINE],
            unread_samples=tuple(sorted(self._samples.values(), key=_place)),
            problem=item.problem or self._limit or None,
            partial=item.partial or bool(self._limit),
        )

    def _sample(self, shape: bytes, ref: Ref) -> None:
        """Keep the first unread line of each of the shapes that come first."""
        known = self._samples.get(shape)
        if known is not None and _place(known) <= _place(ref):
            return
        self._samples[shape] = ref
        if len(self._samples) > SAMPLES:
            del self._samples[max(self._samples, key=lambda shape: _place(self._samples[shape]))]
