"""What was read before in a stream, behind lines that had opened the same: outputs say the same lines over and over,
and what is put in the place of secrets is the same from line to line."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from slowlink.redact.hidden import Hidden

State = TypeVar("State")
LONGEST_CHARS = 200
"""A longer line costs less per character, and takes more memory."""
MOST_LINES = 4096
_MOST_OPEN = 50_000
"""So many lines, and so much that was open after them; then all are forgotten. Some 10 MB at most."""


class WasRead(NamedTuple, Generic[State]):
    """One reading of a line."""

    clean: str
    after: State
    """What is open after it."""
    counted: dict[str, int]
    """Kind -> how many values were replaced."""
    inner: int
    """How many texts in other letters were read."""
    hidden: Hidden
    """What it opened that shows in no result."""
    before: State
    """What was open before it; as long as it is kept, nothing else has its identity."""


class LineMemory(Generic[State]):
    """Readings by the line and by what was open before it."""

    def __init__(self) -> None:
        self._readings: dict[tuple[str, int], WasRead[State]] = {}
        self._states: dict[State, State] = {}
        self._learned: object = None
        self._open = 0

    def recall(self, text: str, before: State, learned: object) -> WasRead[State] | None:
        """That reading, if there was one since ``learned`` was another object."""
        if learned is not self._learned:
            self._forget()
            self._learned = learned
        return self._readings.get((text, id(before)))

    def keep(self, text: str, was: WasRead[State], open_after: int) -> State:
        """Remember a reading, after which so much was open. What is open after it, in the one object that is kept for
        all that equals it."""
        if len(self._readings) >= MOST_LINES or self._open >= _MOST_OPEN:
            self._forget()
        after = self._states.setdefault(was.after, was.after)
        self._open += open_after
        self._readings[text, id(was.before)] = was if after is was.after else was._replace(after=after)
        return after

    def _forget(self) -> None:
        self._readings.clear()
        self._states.clear()
        self._open = 0
