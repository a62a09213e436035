"""One stream of a source: its parsers, and what went by in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from msgspec import Struct, field
from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.parsers.forms.interface import LineParser
from slowlink.parsers.reading.leads.of_loggers import Form, Lead


class Stream(Struct):
    """The parsers of one stream, and what went by in it."""

    parsers: dict[int, LineParser] = field(default_factory=dict)
    greedy: list[int] = field(default_factory=list)
    """Those that must see the next line whatever it is, in the order in which they came."""
    left: int = 0
    """Lines still offered to greedy parsers although nobody wants their shape."""
    before_no: int = 0
    leads: set[Form] = field(default_factory=set)
    """Forms of loggers' leads behind which a line was read."""
    before: str = ""
    """The last line that nobody claimed; 0 and "" behind a claimed one."""
    as_new: dict[int, bool] = field(default_factory=dict)
    """Is a parser still as it was made? Of those that were asked for, and have been offered nothing since; one that has
    ever taken something counts as another one for good."""
    told: int = 0
    """Of how many commands for all nodes its parsers have heard."""


def behind_lead(lead: Lead, line: Line) -> Line:
    """``line`` without its lead."""
    return replace(line, text=line.text[lead.end :], host=line.text[lead.host] if lead.host else line.host)


def let_hear(parser: LineParser, command: Line) -> None:
    """Only a parser whose class ``hears`` is told; it has ``hear``, too."""
    hear: Callable[[Line], None] = getattr(parser, "hear")  # noqa: B009  (no part of the protocol)
    hear(command)


def note_greed(index: int, stream: Stream) -> None:
    """The parser of this number has begun to be greedy, or ceased."""
    if stream.parsers[index].greedy:
        stream.greedy = [each for each in stream.parsers if each == index or each in stream.greedy]
    elif index in stream.greedy:
        stream.greedy.remove(index)


@lru_cache(maxsize=4)
def kinds_of(
    parsers: tuple[type[LineParser], ...],
) -> tuple[Mapping[int, Callable[[str], bool]], frozenset[int], frozenset[int]]:
    """Numbers of those that hear commands (and how), of the last resorts, and of those that read beside others. Asked
    once: each answer of each node has its own streams."""
    hearing: dict[int, Callable[[str], bool]] = {
        index: unit.hears for index, unit in enumerate(parsers) if hasattr(unit, "hears")
    }
    last_resort = frozenset(index for index, unit in enumerate(parsers) if getattr(unit, "last_resort", False))
    return hearing, last_resort, frozenset(i for i, unit in enumerate(parsers) if getattr(unit, "reads_beside", False))
