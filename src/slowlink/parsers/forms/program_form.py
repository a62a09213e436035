"""How the lines of one program look in front of their messages."""

from __future__ import annotations

from msgspec import Struct


class ProgramLines(Struct, frozen=True):
    """The form of one program's lines."""

    program: str
    """Its document in the catalogue; the events' origin."""
    marks: tuple[str, ...]
    """Literal texts without digits, one of which stands in every line of this form: the cheap test."""
    pattern: str
    """Searched in the line. Its group ``text`` is the message; ``level``, ``host``, ``pid`` and ``rank`` are used where
    it has them, and ``inner``, the level that a message carries itself when another program passes it on."""
    severe: tuple[str, ...] = ()
    """Values of ``level``, in lower case, of an error. Such a line that the vocabulary does not know is still an event,
    ``unknown``, so that a run that ended badly has its first error. () for a form whose lines need not be errors."""
    unknown: str = "program-error"
    """Kind of an error that the vocabulary does not know; "" leaves it to later parsers."""
    shape: str = ""
    """``exception`` where a line of this form ends the program, as a rule."""
    also: tuple[str, ...] = ()
    """Further programs whose lines look the same: their documents are asked next."""
    chatty: bool = False
    """Does it print much that says nothing? Then a line that no document knows is ignored."""
    stamped: bool = False
    """Does the pattern begin with the line's time stamp, ``[2031-04-05T06:07:08.123]``? It is taken off lines."""
    service: bool = False
    """The log of a service: it goes on whatever it says, and speaks of many jobs. So no line ends a run, and what would
    be a cause in a job's output is an echo, but for ``keeps``."""
    keeps: tuple[str, ...] = ()
    """Kinds that are a cause in a service's log, too: they name a node or a part of it."""
