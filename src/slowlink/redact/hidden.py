"""What was taken out of a text and goes on in its next lines, though what was put out shows nothing of it."""

from __future__ import annotations

from msgspec import Struct


class Hidden(Struct):
    """What is still taken out at the beginning of the lines to come."""

    key_lines: int = 0
    """Lines to come that may belong to a private key; 0 when none is open."""
    key_lead: str = ""
    """What stood before the key on the line where it began, with 0 for each number: stamps and names of programs."""
    key_around: tuple[str, str] | None = None
    """What stands around its lines (quotes, bars of a table), as far as one was seen."""
    string: bool = False
    """Is the rest of a string of an environment still to come, up to its quote?"""

    def __bool__(self) -> bool:
        return self.string or self.key_lines > 0

    def copy(self) -> Hidden:
        """The same now, whatever happens to this one; one and the same for all where nothing is hidden."""
        if not (self.string or self.key_lines):
            return NOTHING_HIDDEN
        return Hidden(self.key_lines, self.key_lead, self.key_around, self.string)

    def become(self, other: Hidden) -> None:
        """Forget what has happened since ``other`` was copied."""
        self.key_lines, self.key_lead, self.key_around = other.key_lines, other.key_lead, other.key_around
        self.string = other.string


NOTHING_HIDDEN = Hidden()
