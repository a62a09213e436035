"""Commands that name what all nodes print, each node in a stream of its own: what a stream has yet to hear of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import LineParser
from slowlink.parsers.reading.streams import Stream, let_hear, note_greed


class ToldCommands:
    """The last command of each parser that hears.

    A stream hears of it when its next line comes: to tell all streams at once would take as many steps for each command
    as there are nodes. Of several that came meanwhile, it hears the last.
    """

    def __init__(self, hearing: Mapping[int, Callable[[str], bool]]) -> None:
        self._hearing = dict(hearing)
        self._last: dict[int, tuple[int, Line]] = {}
        """By the parser's number: the how manieth command it is."""
        self._told = 0

    def made(self, index: int, parser: LineParser) -> None:
        """A parser of this number was made: it hears the command that went to all nodes before."""
        if index in self._last:
            let_hear(parser, self._last[index][1])
        if index in self._hearing:
            self._hearing[index] = getattr(parser, "hears")  # noqa: B009  (its own, now that it is imported)

    def tell(self, index: int, line: Line, own: Stream) -> None:
        """The parser of this number has read a line of ``own``, which has heard of all commands so far. The others
        hear of it, too, where it is a command for them."""
        if index in self._hearing and line.host is None and self._hearing[index](line.text):
            self._told += 1
            self._last[index] = self._told, line
            own.told = self._told

    def catch_up(self, stream: Stream) -> None:
        """Let the parsers of ``stream`` hear what came since its last line."""
        if stream.told == self._told:
            return
        for index, (number, line) in self._last.items():
            if number > stream.told and index in stream.parsers:
                let_hear(stream.parsers[index], line)
                stream.as_new[index] = False
                note_greed(index, stream)
        stream.told = self._told
