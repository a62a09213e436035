"""The moulds of all sources that this process reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct, field

from slowlink.parsers.forms.lines import Dialect
from slowlink.parsers.reading.once.answers import Answer
from slowlink.parsers.reading.once.learning import changed_by, learn, note_varied, skeleton
from slowlink.parsers.reading.once.moulds import LONGEST_LINE, Fed, Mould

_MOST_LINES = 200_000
"""Of all moulds."""
_LONGEST = 20_000
"""Lines of an answer that is worth being one."""
_MOST_KINDS = 10_000
_MOST_ALIKE = 8
"""Moulds that an answer may be held beside."""
_PATIENCE = 40
"""So many answers of one kind are read; where no mould fitted one of them by then, none is looked for any more."""


class Kind(Struct):
    """Answers that are alike at first sight."""

    moulds: list[Mould] = field(default_factory=list)
    """The last one that fitted first."""
    missed: int = 0
    """How many of them had to be read."""
    hopeless: bool = False

    def cast(self, lines: Sequence[str]) -> Answer | None:
        """The answer of ``lines`` from the first mould that fits; None where it has to be read."""
        for place, mould in enumerate(self.moulds):
            answer = mould.cast(lines)
            if answer is not None:
                if place:
                    self.moulds.insert(0, self.moulds.pop(place))
                return answer
        return None

    def learn(self, lines: Sequence[str], fed: Sequence[Fed]) -> bool:
        """Learn of an answer that was read. Gives whether a mould may fit it in time: else it is of a new kind."""
        self.missed += 1
        if self.missed >= _PATIENCE and not any(mould.cast_so_far for mould in self.moulds):
            self.moulds, self.hopeless = [], True
            return True
        near = next((mould for mould in self.moulds if note_varied(mould, lines, fed)), None)
        if near is None:
            return False
        near.missed += 1
        if near.missed >= near.learn_at:
            near.learn_at = 2 * near.missed
            learn(near)
        return True


class KnownMoulds:
    """Moulds by what is quickly told of their answers: dialect, number of lines, form of the first one."""

    def __init__(self, most_lines: int = _MOST_LINES) -> None:
        self._most_lines = most_lines
        self._kinds: dict[tuple[Dialect, int, tuple[str, ...]], Kind] = {}
        self._lines = 0

    def kind_of(self, dialect: Dialect, lines: Sequence[str]) -> Kind:
        """What is known of answers like this one."""
        key = dialect, len(lines), skeleton(lines[0][:LONGEST_LINE])
        return self._kinds.setdefault(key, Kind())

    def met(self, kind: Kind, lines: Sequence[str], fed: Sequence[Fed], mould: Callable[[], Mould]) -> None:
        """An answer was read that no mould fitted, and may stand for that of another node."""
        if kind.hopeless or len(lines) > _LONGEST or kind.learn(lines, fed) or len(kind.moulds) >= _MOST_ALIKE:
            return
        kind.moulds.append(new := mould())
        new.changed = changed_by(fed)
        self._lines += len(lines)
        if self._lines > self._most_lines:
            self._forget()

    def _forget(self) -> None:
        """Forget the moulds that fitted nothing so far; all, where that is not enough."""
        for kind in self._kinds.values():
            kind.moulds = [mould for mould in kind.moulds if mould.cast_so_far]
        self._kinds = {key: kind for key, kind in self._kinds.items() if kind.moulds or kind.hopeless}
        self._lines = sum(len(mould.lines) for kind in self._kinds.values() for mould in kind.moulds)
        if self._lines > self._most_lines // 2 or len(self._kinds) > _MOST_KINDS:
            self._kinds, self._lines = {}, 0


MOULDS = KnownMoulds()
