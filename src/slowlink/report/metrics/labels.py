"""Values of labels: each makes Prometheus keep one more series, so none is longer, odder or more than was meant.

Names of nodes are strangers' text, and so is everything in a store that somebody else filled.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256

from slowlink.catalog.causes import all_causes
from slowlink.exits import SEVERITIES
from slowlink.model.metrics import CauseCount
from slowlink.report.escape import terminal_safe

LONGEST = 128
"""Characters."""
OTHER = "other"
"""For a word that is none of those that there can be."""
_MARK_CHARACTERS = 8
_COMMAND = re.compile(r"[a-z][a-z-]{0,23}")
_MOST_CAUSES = 20
"""Of one report; the others are counted together."""


def label(text: str) -> str:
    """``text`` as a value: without what steers a terminal, and short. One that was changed ends with a mark of what it
    was, so that two names never become one."""
    safe = terminal_safe(text)
    if safe == text and len(text) <= LONGEST:
        return text
    mark = sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:_MARK_CHARACTERS]
    return f"{safe[: LONGEST - _MARK_CHARACTERS - 1]}~{mark}"


def command_label(text: str) -> str:
    """A command of slowlink; a bundle may say anything."""
    return text if _COMMAND.fullmatch(text) else OTHER


def one_of(words: Collection[str], value: str) -> Iterator[tuple[str, float]]:
    """Each word with 1 where it is ``value``, and 0: an alert ends when its word is 0, not when it is gone."""
    for word in words:
        yield word, float(word == value)


def by_severity(causes: Sequence[CauseCount]) -> Mapping[str, int]:
    """Severity -> how many; all that there are, and ``other`` only where one is none of them."""
    counts = dict.fromkeys(SEVERITIES, 0)
    for each in causes:
        name = each.severity if each.severity in SEVERITIES else OTHER
        counts[name] = counts.get(name, 0) + each.count
    return counts


def by_cause(causes: Sequence[CauseCount]) -> Mapping[tuple[str, str], int]:
    """(cause, severity) -> how many. What the catalogue does not have is ``other``, and so is what follows the first
    twenty."""
    known = all_causes()
    counts: dict[tuple[str, str], int] = {}
    for each in causes:
        severity = each.severity if each.severity in SEVERITIES else OTHER
        has_room = (each.cause, severity) in counts or len(counts) < _MOST_CAUSES
        name = each.cause if each.cause in known and has_room else OTHER
        counts[name, severity] = counts.get((name, severity), 0) + each.count
    return counts
