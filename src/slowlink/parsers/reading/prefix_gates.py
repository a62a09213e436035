"""Gates for how lines begin: most lines of an application have a stamp and no other prefix."""

from __future__ import annotations

from slowlink.parsers.forms.fronts.journal import DAEMON, NAMED, NUMBERED, TIME
from slowlink.parsers.forms.gates import at_start, weaker
from slowlink.parsers.forms.json_blocks import OPENS
from slowlink.parsers.forms.lines import AFTER_STAMP, HOST_TAG, ISO, NUMBER, STAMP, STRONG, TOOL, WEAK, Dialect
from slowlink.parsers.reading.leads.of_loggers import OPENING, STEP

ISO_STAMP = rf"^(?:\[{ISO}\](?: |$)|{ISO}(?: std(?:out|err) [FP])?(?:[ \t]|$))"
"""The stamps that any engine matches as ``lines.STAMP`` does: what is left of that looks ahead."""
_PLAIN = (OPENS, STAMP, *STRONG)


def prefixes(dialect: Dialect) -> str:
    """Found in each line that begins with a prefix or a JSON value; in some that do not."""
    return at_start(*_PLAIN, *_doubtful(dialect))


def behind_stamp(dialect: Dialect) -> str:
    """The same, behind a stamp."""
    return at_start(*_PLAIN, AFTER_STAMP, *_doubtful(dialect))


def journal() -> tuple[str, str, str, str]:
    """What stands before lines of syslog and of the journal, as ``lines.STRONG`` has it, for lines of ASCII."""
    return rf"[A-Za-z]{{2,6}}\.? {TIME} [\w.-]+ ", DAEMON.pattern, NUMBERED, NAMED


def leads() -> tuple[str, str, str]:
    """What stands before a logger's lead, one step of it, and a host's name: for lines of ASCII."""
    return OPENING.pattern, "".join(filter(str.isascii, STEP.pattern)), weaker(HOST_TAG)


def _doubtful(dialect: Dialect) -> list[str]:
    """Numbers and names, where they may be no part of the line."""
    tool = f"(?:{weaker(TOOL, goes_on=True)})"
    return [
        weaker(NUMBER) + ("" if dialect.numbers else tool),
        *(f"(?:{weaker(each)})" + ("" if dialect.tags else tool) for each in WEAK),
    ]
