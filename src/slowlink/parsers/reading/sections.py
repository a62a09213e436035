"""Which of the proposed headings of nodes hold, and which lines below headings are kept to be compared.

A proposal holds where output that somebody read follows the headings of two or more nodes of its form, or where three
or more nodes have lines that begin alike. A line of a node is kept below a heading that holds, and where no other
parser made anything of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from slowlink.model.benchmark import CollectiveRun, PerftestRun
from slowlink.model.job import JobEvent, Observation
from slowlink.model.nccl import NcclLog
from slowlink.model.state import Collected, Reading
from slowlink.parsers.context.node_lines import LINE_OF_NODE
from slowlink.parsers.context.node_sections import PROPOSED
from slowlink.parsers.forms.fronts.node_headings import LEAST_COMPARED
from slowlink.parsers.forms.interface import Record
from slowlink.parsers.reading.once.alike import Alike, spelt_out

Each = TypeVar("Each")
_SAID = Reading | JobEvent | Observation
_WITH_HEADER = CollectiveRun, PerftestRun
_LEAST = 2
"""Nodes with output below their headings; lines that nodes have in common."""


def line_of(record: Record | Alike) -> int:
    """The line that a record or a block of them begins on; 0 for a log of NCCL's."""
    if type(record) is Reading:
        return record.ref.line
    if isinstance(record, Alike):
        return record.line
    if isinstance(record, NcclLog):
        return 0
    return record.header.line if isinstance(record, _WITH_HEADER) else record.ref.line


def with_sure_headings(found: Sequence[Record | Alike]) -> list[Record | Alike]:
    """All records of one source, in order of lines; proposals are headings as a prompt is, or gone."""
    others = [each for each in found if not isinstance(each, Reading | Alike)]  # of what nodes answer few
    lines = [each for each in others if isinstance(each, Observation) and _is_line(each)]
    proposed = [each for each in others if isinstance(each, Collected) and each.collector == PROPOSED]
    if not proposed and not lines:
        return list(found)
    records = list(spelt_out(found))
    read = {each.ref.line for each in records if isinstance(each, _SAID) and not _is_line(each)}
    sure = _followed(proposed, sorted(read)) | _alike(proposed, lines)
    headings = [kept for each in records if (kept := _kept(each, sure)) is not None]
    places = [each for each in headings if isinstance(each, Collected)]
    starts = [each.ref.line for each in places]

    def stays(record: object) -> bool:
        if not isinstance(record, Observation) or not _is_line(record):
            return True
        above = bisect_right(starts, record.ref.line)
        return record.ref.line not in read and above > 0 and places[above - 1].host is not None

    return [each for each in headings if stays(each)]


def _is_line(record: object) -> bool:
    return isinstance(record, Observation) and record.kind == LINE_OF_NODE


def _followed(proposed: Sequence[Collected], read: Sequence[int]) -> set[str]:
    """Forms of headings below which something was read, of two nodes at least."""
    found: dict[str, set[str]] = {}
    ends = [*(each.ref.line for each in proposed[1:]), None]
    for heading, end in zip(proposed, ends, strict=True) if proposed else ():
        first = bisect_right(read, heading.ref.line)
        if heading.host is not None and first < len(read) and (end is None or read[first] < end):
            found.setdefault(heading.detail, set()).add(heading.host)
    return {form for form, hosts in found.items() if len(hosts) >= _LEAST}


def _alike(proposed: Sequence[Collected], lines: Iterable[Observation]) -> set[str]:
    """Forms of headings below which three nodes at least have two lines that begin alike."""
    starts = [each.ref.line for each in proposed]
    counts: Counter[tuple[str, str]] = Counter()
    seen: set[tuple[str, str, str]] = set()
    for line in lines:
        above = bisect_right(starts, line.ref.line)
        if not above or (host := proposed[above - 1].host) is None:
            continue
        form = proposed[above - 1].detail
        if (form, host, line.subject) not in seen:
            seen.add((form, host, line.subject))
            counts[form, line.subject] += 1
    common = Counter(form for (form, _), nodes in counts.items() if nodes >= LEAST_COMPARED)
    return {form for form, keys in common.items() if keys >= _LEAST}


def _kept(record: Each, sure: set[str]) -> Each | None:
    if not isinstance(record, Collected) or record.collector != PROPOSED:
        return record
    return replace(record, collector="prompt", detail="") if record.detail in sure else None
