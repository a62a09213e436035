"""What the fold keeps of the lines of one thread, until values are read from it."""

from __future__ import annotations

from dataclasses import dataclass, field

from slowlink.model.nccl import LogProcess


@dataclass(slots=True)
class Seen:
    """A text with the number of its lines and the first (for calls: the last) of them."""

    count: int
    line: int
    message: str
    text: str
    continues: str | None = None


@dataclass(slots=True)
class Thread:
    """What one thread (one prefix) has logged."""

    process: LogProcess
    location: str | None
    edges: dict[str, Seen] = field(default_factory=dict)
    calls: dict[str, Seen] = field(default_factory=dict)
    once: dict[str, Seen] = field(default_factory=dict)
    each: list[Seen] = field(default_factory=list)

    @property
    def kept_lines(self) -> int:
        """Lines behind what is kept of this thread."""
        counted = (*self.edges.values(), *self.calls.values(), *self.once.values())
        return len(self.each) + sum(seen.count for seen in counted)

    def absorb(self, later: Thread) -> None:
        """Add what the same thread logged later."""
        for own, other in ((self.edges, later.edges), (self.once, later.once)):
            for key, seen in other.items():
                first = own.setdefault(key, seen)
                if first is not seen:
                    first.count += seen.count
        for key, seen in later.calls.items():
            before = self.calls.get(key)
            if before is not None:
                seen.count += before.count
            self.calls[key] = seen
        self.each.extend(later.each)
