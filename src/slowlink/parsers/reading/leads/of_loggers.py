"""Where the words of a line may begin: behind what a logger, a collector of logs or a writer put before them.

Many programs print what a tool said through a logger, so that a stamp, a level and a name stand before each row of a
table. No list of loggers would be complete; a lead is read as fields with something between them, one of which no
sentence begins with. It is taken off only where nobody takes the line as it stands.
"""

from __future__ import annotations

from typing import NamedTuple

from slowlink.parsers.forms.lines import HOST_TAG
from slowlink.patterns import regex

_TIME = (
    r"(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/.]\d\d[-/.]\d\d(?:\d\d)?)[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
    r"(?:Z|[+-]\d\d:?\d\d)?|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
)
_LEVEL = r"(?i:trace|debug|info|notice|success)"
"""What is said louder is a message, and no row of a table; its level belongs to it."""
_LOUD = regex(r"(?i:warn|err|crit|fatal|alert|emerg|panic)")
_LOUD_WORDS = regex(rf"\W{{0,4}}{_LOUD.pattern}")
_SURE = "|".join(
    (
        r"(?P<glog>[ID]\d{4} \d\d:\d\d:\d\d(?:\.\d{1,9})?(?: {1,8}\d{1,9})?(?: [\w./-]{1,120}:\d{1,6})?\])",
        # vLLM's stamps have no year: INFO 11-04 09:12:51 utils.py:1008], 0.8 and later [core.py:700]
        r"(?P<vllm>\d\d-\d\d \d\d:\d\d:\d\d(?: (?:[\w./-]{1,120}:\d{1,6}|\[[\w./-]{1,120}:\d{1,6})\])?)",
        r"(?P<basic>(?:DEBUG|INFO):[\w.-]{1,100})",
        rf"(?P<time>{_TIME})",
        rf"(?P<level>(?:\d{{1,9}} {{1,8}})?{_LEVEL})",
        r"(?P<tag>\[[^\[\]\n]{1,100}\]|<[\w.@ -]{1,60}>|\([^()\n]{1,100}\))",
        r"(?P<bullet>[*•>-]|\d{1,4}[.)])",
        r"(?P<place>[\w.$<>/-]{1,120}:(?:[\w.$<>-]{1,80}:)?\d{1,6})",
    )
)
"""Fields with which no sentence begins."""
_MARK = r" {0,20}(?:[:|]|--?|=>) ?"
STEP = regex(
    rf" {{0,20}}(?:(?:{_SURE})(?:(?P<blank> )(?P<mark>{_MARK})?|{_MARK}|$)"
    rf"|(?P<service>[\w.-]{{1,64}}) {{0,20}}\| ?|(?P<name>[A-Za-z_][\w./-]{{0,80}}!?|\d{{1,9}}) ?(?:[:|]|--?|=>) ?)"
)
"""A field, and what parts it from the next: no look-around, so that any engine takes it (``native/``)."""
OPENING = regex(r"(?:[|:-] {1,20})?")
"""What parts the lead from a stamp before it, which was taken off."""
MOST_FIELDS = 8
LONGEST = 240

Form = tuple[str, ...]
"""The kinds of a lead's fields, and what parts them: the same in every line of one logger."""


class Lead(NamedTuple):
    """One reading of what stands before the words of a line."""

    end: int
    """Where the words begin."""
    form: Form
    host: slice | None = None
    """Where it names a host: the place, and no text, because all lines of one shape have the same leads."""


def leads_of(text: str) -> tuple[Lead, ...]:
    """All readings of what stands before the words of ``text``, the shortest first."""
    if (host := HOST_TAG.match(text)) is not None:
        return (Lead(host.end(), ("host",), slice(0, host.end() - len(": "))),)
    found: list[Lead] = []
    opening = OPENING.match(text)
    at = opening.end() if opening else 0
    form: Form = (text[:at].strip(),)
    sure = False
    for _ in range(MOST_FIELDS):
        step = STEP.match(text, at, LONGEST)
        if step is None or (step["bullet"] and sure) or _LOUD.search(step[0]):
            break
        kind = next(name for name, value in step.groupdict().items() if value is not None)
        sure = sure or kind != "name"
        ends = [step.end(name) for name in ("blank", "mark") if step[name] is not None] or [step.end()]
        for end in ends:
            form = (*form, kind, text[step.end(kind) : end].strip())
            if sure:
                found.append(Lead(end, form))
        at = step.end()
    return tuple(lead for lead in found if not _LOUD_WORDS.match(text, lead.end))
