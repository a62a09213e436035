"""What a line leaves open: something of it goes on in the lines after it."""

from __future__ import annotations

from typing import NamedTuple

MEMBERS = r"(?:[vV]alue|default|plain_?[tT]ext|string_?[vV]alue)"
"""Where a mapping holds what it describes."""


class Left(NamedTuple):
    """One such thing."""

    way: str = ""
    """How it goes on; each reader of lines has its ways. Empty when nothing is open."""
    kind: str = "secret"
    indent: int = 0
    """How deep the entry stands that opened it, counted from the end of its line's lead."""
    quote: str = ""
    """What ends the value: a quote, or the word that stands alone on the last line (``here``)."""
    weak: bool = False
    at: int = 0
    """Where that entry begins on its line: what stands before it may be a lead."""
    or_at: int = 0
    """Where it begins if the word before it belongs to it; given where nothing but all that stands before is a lead."""
    plain: bool = True
    """May it go on in lines that do not repeat what stands before the entry?"""
    told: tuple[str, ...] = ()
    """The words of a command line so far."""

    def behind(self, lead: str, form: Left) -> Left:
        """The same, of the words behind ``lead``, in a line whose own form opens ``form``: what that announces goes on
        below the line's beginning, wherever in it the name stands."""
        if form.told:
            return self._replace(at=form.at, plain=form.plain, told=form.told)
        return self._replace(at=self.at + len(lead))


NOTHING_LEFT = Left()
