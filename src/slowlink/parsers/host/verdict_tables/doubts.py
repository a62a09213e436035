"""What a table of checked nodes shows beside its verdicts and against them: a node that is called OK with 7/8 GPUs.

Scripts print a number for each check and one word for the node, and the word may know less than the numbers. Whoever
takes the word for health must have looked at them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from slowlink.averages import median
from slowlink.patterns import regex

_SHARE = regex(r"(?P<have>\d{1,6})\s?/\s?(?P<want>\d{1,6})")
_NUMBER = regex(r"(?P<number>\d{1,9}(?:\.\d{1,6})?)\s?(?:[GM]i?[Bb](?:ps|it)?(?:/s(?:ec)?)?|x|%)?")
_USED = regex(r"(?i)used|free|avail|busy|alloc|util|load|mem|disk|inod|jobs?|users?|procs?|temp|power|watt|clock")
"""Columns of what comes and goes: neither ``3/8`` nor less than others have is a loss there."""
_FAULTS = regex(r"(?i)(?:^|[^a-z])(?:xids?|sxids?|unc\w*|dbe|ue|fail\w*|miss\w*|down|inactive|dead|lost)(?![a-z])")
"""Columns that count what no sound node has."""
_ERRORS = regex(r"(?i)(?:^|[^a-z])(?:ecc|err\w*|crc|flaps?|replays?|link_e|drops?)(?![a-z])")
"""Columns that count what some have: one node that has them where most have none."""
_PARTS = regex(r"(?i)gpu|hca|nic|(?:^|[^a-z])ib(?![a-z])|port|link|rate|speed|width|lanes|gb|bw|bandwidth")
"""Columns of which all nodes should have as much."""
_ENOUGH = 0.9
_LEFT_OUT = regex(
    r"(?i)(?:^|[^a-z])(?:errors?|failures?|failed|degraded|unreachable|unanswered|no answer|not checked|offline|missing"
    r"|time-?d?-?outs?|timeouts?)\s{0,4}[:=]\s{0,4}(?P<count>\d{1,6})"
)
_NODES = regex(r"(?i)(?:^|[^a-z])(?:nodes?|hosts?)\s{0,3}[=:]\s{0,3}(?P<count>\d{1,6})(?![\w.])")


def doubts_of(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """For each row what speaks against a good verdict, in words; "" where nothing does. ``rows`` are as long as
    ``titles``."""
    found: list[list[str]] = [[] for _ in rows]
    for column, title in enumerate(titles):
        for index, words in _doubtful(title, [row[column] for row in rows]):
            found[index].append(words)
    return [", ".join(words) for words in found]


def left_out(text: str) -> bool:
    """Does a line below a table count nodes that failed or did not answer?"""
    return any(int(found["count"]) for found in _LEFT_OUT.finditer(text[:600]))


def nodes_told(text: str) -> int:
    """How many nodes a line above a table says that there are; 0 where it says nothing of them."""
    return max((int(found["count"]) for found in _NODES.finditer(text[:600])), default=0)


def _doubtful(title: str, cells: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The rows of one column that are not as they should be, and why."""
    shares = [_SHARE.fullmatch(cell) for cell in cells]
    for index, share in enumerate(shares):
        if share is not None and not _USED.search(title) and (lost := int(share["want"]) - int(share["have"])) > 0:
            yield index, f"{lost} of {share['want']} {title} missing"
    numbers = [(n, float(found["number"])) for n, cell in enumerate(cells) if (found := _NUMBER.fullmatch(cell))]
    if any(shares) or not numbers:
        return
    usual = Counter(number for _, number in numbers).most_common(1)[0][0]
    if _FAULTS.search(title) or (_ERRORS.search(title) and not usual):
        yield from ((n, f"{title}: {number:g} errors") for n, number in numbers if number)
    elif _PARTS.search(title) and not _ERRORS.search(title) and not _USED.search(title):
        most = median(number for _, number in numbers)
        low = [(n, number) for n, number in numbers if number < _ENOUGH * most]
        yield from ((n, f"{title} low: {number:g} where others have {most:g}") for n, number in low)
