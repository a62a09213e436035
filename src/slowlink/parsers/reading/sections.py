"""Which of the proposed headings of nodes hold: those of a form that two or more nodes' output follows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from slowlink.model.job import JobEvent, Observation
from slowlink.model.state import Collected, Reading
from slowlink.parsers.context.node_sections import PROPOSED

Each = TypeVar("Each")
_LEAST = 2
"""Nodes with output below their headings."""


def with_sure_headings(records: Sequence[Each]) -> list[Each]:
    """All records of one source, in order of lines; proposals are headings as a prompt is, or gone."""
    proposed = [each for each in records if isinstance(each, Collected) and each.collector == PROPOSED]
    if not proposed:
        return list(records)
    said = sorted(each.ref.line for each in records if isinstance(each, Reading | JobEvent | Observation))
    followed: dict[str, set[str]] = {}
    ends = [*(each.ref.line for each in proposed[1:]), None]
    for heading, end in zip(proposed, ends, strict=True):
        first = bisect_right(said, heading.ref.line)
        if heading.host is not None and first < len(said) and (end is None or said[first] < end):
            followed.setdefault(heading.detail, set()).add(heading.host)
    sure = {form for form, hosts in followed.items() if len(hosts) >= _LEAST}
    return [kept for each in records if (kept := _kept(each, sure)) is not None]


def _kept(record: Each, sure: set[str]) -> Each | None:
    if not isinstance(record, Collected) or record.collector != PROPOSED:
        return record
    return replace(record, collector="prompt", detail="") if record.detail in sure else None
