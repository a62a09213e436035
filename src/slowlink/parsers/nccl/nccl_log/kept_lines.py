"""What the fold keeps of the lines of one thread, until values are read from it."""

from __future__ import annotations

from msgspec import Struct, field

from slowlink.model.nccl import LogProcess
from slowlink.parsers.forms.limit import Limit


class Seen(Struct, gc=False):
    """A text with the number of its lines and the first (for calls: the last) of them."""

    count: int
    line: int
    message: str
    text: str
    continues: str | None = None
    kind: int = -1
    """Which message it is, by number; -1 where that was not asked, or is to be asked again."""


MOST_TEXTS = Limit(20_000, "different lines of one thread")
"""Distinct texts kept of one thread. A rank of the largest runs has some thousand."""


class Thread(Struct):
    """What one thread (one prefix) has logged."""

    process: LogProcess
    location: str | None
    owner: str
    """Its name among the owners of edges."""
    first: int
    """The number of its first line."""
    recent: dict[str, int] = field(default_factory=dict)
    """Rows of its edges by what their lines say behind the number of the channel: a memo."""
    calls: dict[str, Seen] = field(default_factory=dict)
    once: dict[str, Seen] = field(default_factory=dict)
    each: list[Seen] = field(default_factory=list)

    @property
    def kept_lines(self) -> int:
        """Lines behind what is kept of this thread, but for edges."""
        texts = (*self.calls.values(), *self.once.values())
        return len(self.each) + sum(seen.count for seen in texts)

    def absorb(self, later: Thread) -> None:
        """Add what the same thread logged later, up to what is kept of one thread."""
        self.first = min(self.first, later.first)
        _add_counts(self.once, later.once, MOST_TEXTS)
        for key, seen in later.calls.items():
            before = self.calls.get(key)
            if before is not None:
                seen.count += before.count
            elif len(self.calls) >= MOST_TEXTS:
                continue
            self.calls[key] = seen
        self.each.extend(later.each[: max(0, MOST_TEXTS - len(self.each))])


def _add_counts(own: dict[str, Seen], later: dict[str, Seen], most: int) -> None:
    """Take what is new in ``later``, while there is room; of the rest only the count."""
    for key, seen in later.items():
        first = own.get(key)
        if first is not None:
            first.count += seen.count
        elif len(own) < most:
            own[key] = seen
