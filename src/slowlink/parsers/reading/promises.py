"""What the name of an input promises and its bytes do not keep: a file that is empty and should not be, a recorder's
dump of which nothing could be read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from msgspec.structs import replace

from slowlink.model.blocks import Block
from slowlink.model.hang import FlightDump
from slowlink.model.source import Ref, SourceStats
from slowlink.parsers.forms.interface import Record
from slowlink.parsers.nccl.flight_recorder.dump import is_dump_name, rank_of_file
from slowlink.patterns import regex

Read = tuple[Sequence[Record | Block], SourceStats]
"""What was found in one input, and what became of it."""

EMPTY = "empty: it was cut, or never written"

_FORMATS = regex(r"\.(?:json|xml|gz|tgz|xz|txz|zst|bz2|lz4|zip|7z|tar)$")
"""Formats of which no whole file is empty."""
_LOG = regex(r"(?:\.log|\.out)(?:\.\d{1,6})?$|(?:^|[._-])(?:dmesg|syslog|messages|journal)(?:\.txt)?$")
_STREAM = regex(r"(?:^|[._-])(?:std(?:out|err)|err(?:ors?)?)(?:[._-]|$)")
"""What one stream of a process goes to: most say nothing."""
_DIGITS = re.compile(r"\d+")


def with_promises(each: Sequence[Read]) -> list[Read]:
    """The same, with a problem at what is empty and should not be, and with a dump for each recorder that left one."""
    if not any(stats.size_bytes for _, stats in each):
        return list(each)  # all that there is to say is that nothing is there
    shapes = Counter(_shape(stats.path) for _, stats in each)
    empty = Counter(_shape(stats.path) for _, stats in each if _is_empty(stats))
    usual = {shape for shape, times in empty.items() if times > 1 and 2 * times > shapes[shape]}
    return [_with_dump(found, _judged(stats, usual)) for found, stats in each]


def _is_empty(stats: SourceStats) -> bool:
    return not stats.size_bytes and not stats.lines and stats.problem is None


def _judged(stats: SourceStats, usual: AbstractSet[str]) -> SourceStats:
    """``usual``: shapes of names of which most inputs are empty: logs of the ranks that have nothing to say."""
    name = stats.path.rpartition("!")[2].rpartition("/")[2].lower()
    is_log = _LOG.search(name) is not None and _STREAM.search(name) is None and _shape(stats.path) not in usual
    if _is_empty(stats) and (is_dump_name(name) or _FORMATS.search(name) or is_log):
        return replace(stats, problem=EMPTY, partial=True)
    return stats


def _with_dump(found: Sequence[Record | Block], stats: SourceStats) -> Read:
    """A recorder that was begun was left: its rank lived, and its dump proves nothing."""
    if stats.partial and is_dump_name(stats.path) and not any(isinstance(one, FlightDump) for one in found):
        dump = FlightDump(Ref(stats.path, 0), rank_of_file(stats.path), "file name", partial=True)
        return [*found, dump], stats
    return found, stats


def _shape(path: str) -> str:
    return _DIGITS.sub("0", path)
