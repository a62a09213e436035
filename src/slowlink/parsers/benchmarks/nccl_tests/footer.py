"""The lines that a test prints after its table."""

from __future__ import annotations

import re

from msgspec import Struct

from slowlink.parsers.benchmarks.nccl_tests.cells import State, parse_cell
from slowlink.patterns import regex

_BOUNDS = regex(r"#?\s{0,8}Out of bounds values\s{0,8}: {0,8}(\S{1,20})(?: {1,8}(OK|FAILED))?")
_AVERAGE = regex(
    r"#?\s{0,8}Av(?:g|erage) bus bandwidth\s{0,8}[:=] {0,8}(\S{1,24})(?: {1,8}(\S{1,12}))?(?: {1,8}(\S{1,12}))?"
)
_CONCLUDED = regex(r"#?\s{0,8}Collective test concluded: (\S{1,80})")


class FooterLine(Struct, frozen=True):
    """``kind`` is ``bounds``, ``average`` or ``concluded``."""

    kind: str
    count: int | None = None
    average: float | None = None
    masked: bool = False
    failed: bool = False
    program: str | None = None


def parse_footer(text: str) -> FooterLine | None:
    """What ``text`` says, or None when it is no footer line."""
    bare = text.strip()
    match = _BOUNDS.match(bare)
    if match:
        count = match.group(1)
        number = int(count) if count.isascii() and count.isdecimal() else None
        return FooterLine("bounds", count=number, failed=match.group(2) == "FAILED")
    match = _AVERAGE.match(bare)
    if match:
        return _average(match)
    match = _CONCLUDED.match(bare)
    if match:
        return FooterLine("concluded", program=match.group(1))
    return None


def _average(match: re.Match[str]) -> FooterLine:
    suffix = [part for part in match.groups()[1:] if part]
    unit = next((part for part in suffix if part.endswith(("/s", "ps"))), None)
    cell = parse_cell(match.group(1), unit)
    return FooterLine("average", average=cell.value, masked=cell.state is State.MASKED, failed="FAILED" in suffix)
