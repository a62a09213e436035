"""Values that go on in the lines after their name: block scalars, lists, quotes over several lines, ``netrc``."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from slowlink.patterns import regex
from slowlink.redact.leads import split_lead, who
from slowlink.redact.names import is_secret_name
from slowlink.redact.replaced import REPLACED, replace_with
from slowlink.redact.values import NOTHING_LEFT, Left, redact_items, replaced

MOST_LINES = 60
"""So far a value is followed: what opens one by mistake must not swallow a log."""
MOST_LINES_IN_QUOTES = 12
"""A quote that is never closed is more often a line that was cut."""
_MOST_OPEN = 64
_MOST_PASSED = 256
"""So many ranks may have something open at a time, and so many lines of others may stand between two of one."""
_RECORD = regex(
    r"(?:\S{1,100}:\d{1,10}:\d{1,10} |\[\d{1,6},\d{1,6}\]<|\d{4}-\d\d-\d\d[T ]\d\d:|[A-Z][a-z]{2} [ \d]\d \d\d:"
    r"|\[\s{0,8}\d{1,9}\.\d{6}\]|#|\s{0,20}\d{1,20}(?:\s{1,20}[\w.-]{1,20}){4})"
)
"""The beginning of a line that a program logs: no value of a document reaches over it."""
_PAIR = regex(r"\s{0,60}(?:- )?[\"']?[\w./-]{1,100}[\"']?\s{0,4}(?:[:=]\s|[:=]$|:\s{0,4}[\"'{\[])")
_ITEM = regex(r"(?P<lead>\s{0,60}-\s{1,4})(?P<value>\S[^\n]{0,8000})")
_WORD = regex(r"\s{0,60}(?:-\s{1,4})?(?P<quote>[\"']?)(?P<value>[^\s\"',]{1,4000})")
_NETRC = regex(
    r"\s{0,20}(?:machine\s{1,4}\S{1,253}|default)(?:\s{1,4}login\s{1,4}\S{1,100})?\s{0,4}$"
    r"|\s{0,20}login\s{1,4}\S{1,100}\s{0,4}$"
)
_NETRC_PASSWORD = regex(r"(?P<lead>\s{0,20}(?:password|passwd)\s{1,4})(?P<value>\S{1,400})")


_ACCOUNTS = regex(r"(?P<lead>\s{0,40})[\"']?chpasswd[\"']?:\s*$")
_ACCOUNT = regex(r"(?P<lead>\s{1,60}(?:- )?[\"']?[a-z_][\w.-]{0,60}:)(?P<value>[^\s:\"']\S{0,400})\s*$")
"""What cloud-init gives to chpasswd(8): a name, a colon and the password, on lines of their own."""
_VARIABLE = regex(r"\s{0,20}variable\s{1,4}\"(?P<name>[\w.-]{1,100})\"\s{0,4}\{\s*$")
_DEFAULT = regex(r"(?P<lead>\s{1,40}default\s{0,20}=\s{0,4}\"?)(?P<value>[^\s\"]{1,4000})")
"""A variable of Terraform has its value in a line of its block."""


class Following(NamedTuple):
    """What is open before a line."""

    left: Left = NOTHING_LEFT
    lines: int = 0
    """How many more lines it may take."""
    netrc: bool = False
    variable: bool = False
    """In the block of a variable whose name is one of a secret."""
    who: str | None = None
    """Whose lines it goes on in, where each has a lead that says so."""

    passed: int = 0
    """Lines of others since the last of its own."""


NOTHING_FOLLOWS = Following()
AllOpen = tuple[Following, ...]
"""What is open of each whose lines these are."""


def _whose(lead: str, record: str) -> str | None:
    return record + who(lead) if lead or record else None


def _of(opened: AllOpen, whose: str | None, record: str) -> Following | None:
    """What goes on in a line. What a line without a lead opened goes on in all that stand in no record."""
    for one in (whose, None) if not record else (whose,):
        if (state := next((state for state in opened if state.who == one), None)) is not None:
            return state
    return None


class FollowingLines:
    """Replaces what earlier lines of one stream have announced."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed

    def line(self, text: str, opened: AllOpen, record: str = "") -> tuple[str, AllOpen]:
        """``text`` without what goes on from the lines before, and what goes on after it all the same. ``record``:
        whose record it stood in."""
        if not opened:
            return text, opened
        lead, words = split_lead(text)
        mine = _of(opened, _whose(lead, record), record)
        kept: list[Following] = []
        for state in opened:
            after = state._replace(passed=state.passed + 1)
            if state is mine and state.who is None:
                text, after = self._words(text, state)
            elif state is mine:
                words, after = self._words(words, state)
                text = lead + words
            if after != NOTHING_FOLLOWS and after.passed < _MOST_PASSED:
                kept.append(after)
        return text, tuple(kept)

    def _words(self, text: str, state: Following) -> tuple[str, Following]:
        """A line that belongs to what is open."""
        if state.netrc and (match := _NETRC_PASSWORD.match(text)) is not None:
            put = replaced(match["value"], "password", self._removed)
            return match["lead"] + put + text[match.end() :], NOTHING_FOLLOWS
        if state.variable:
            return self._default(text, state)
        if not state.left.way:
            return text, NOTHING_FOLLOWS
        if not text.strip():
            return text, state._replace(lines=state.lines - 1) if state.lines > 1 else NOTHING_FOLLOWS
        if _RECORD.match(text) is not None:
            return text, NOTHING_FOLLOWS
        text, left = getattr(self, "_" + state.left.way)(text, state.left)
        lines = state.lines - 1
        return text, Following(left, lines, who=state.who) if left.way and lines > 0 else NOTHING_FOLLOWS

    def after(self, text: str, opened: AllOpen, left: Left, record: str = "") -> AllOpen:
        """What is open after a line that left ``left`` open by its own words."""
        lead, words = split_lead(text)
        whose = _whose(lead, record)
        if whose is not None and len(left.quote) == 1:
            left = NOTHING_LEFT  # where each line is a record of a log, an open quote is a line that was cut
        mine = _of(opened, whose, record)
        state = self._after(words, mine or NOTHING_FOLLOWS, left)
        others = [other for other in opened if other is not mine]
        if state != NOTHING_FOLLOWS:
            others.append(state._replace(who=whose))
        return tuple(others[-_MOST_OPEN:])

    def _after(self, text: str, state: Following, left: Left) -> Following:
        if (accounts := _ACCOUNTS.match(text)) is not None:
            return Following(Left("accounts", "password", len(accounts["lead"])), MOST_LINES)
        if left.way:
            few = len(left.quote) == 1 or left.way == "here"
            return Following(left, MOST_LINES_IN_QUOTES if few else MOST_LINES)
        if (variable := _VARIABLE.match(text)) is not None and is_secret_name(variable["name"]):
            return Following(lines=MOST_LINES_IN_QUOTES, variable=True)
        return state._replace(netrc=_NETRC.match(text) is not None)

    def _default(self, text: str, state: Following) -> tuple[str, Following]:
        """A line of a variable's block: its default is replaced."""
        if (match := _DEFAULT.match(text)) is not None:
            put = replaced(match["value"], "secret", self._removed)
            return match["lead"] + put + text[match.end() :], NOTHING_FOLLOWS
        goes_on = state.lines > 1 and not text.lstrip().startswith("}")
        return text, state._replace(lines=state.lines - 1) if goes_on else NOTHING_FOLLOWS

    def _block(self, text: str, left: Left) -> tuple[str, Left]:
        return (self._whole(text, left), left) if _indent(text) > left.indent else (text, NOTHING_LEFT)

    def _next(self, text: str, left: Left) -> tuple[str, Left]:
        """The value of a name that ended its line: deeper, or in quotes; a list; or no value but a mapping."""
        bare = text.strip()
        if bare[0] == "-" and _indent(text) >= left.indent:
            return self._items(text, left._replace(way="items"))
        if (_indent(text) <= left.indent and bare[0] not in "\"'") or bare[0] == "{" or bare.startswith("- "):
            return text, NOTHING_LEFT
        if bare[0] in "[(":
            return self._array(text, left._replace(way="array"))
        if _PAIR.match(text) is not None:
            return text, NOTHING_LEFT
        if bare[0] in "\"'":
            put, _, _ = redact_items(text, 0, left.kind, left.weak, self._removed)
            return put, NOTHING_LEFT
        return self._whole(text, left), left._replace(way="block")

    def _items(self, text: str, left: Left) -> tuple[str, Left]:
        match = _ITEM.match(text)
        if match is None or len(match["lead"]) <= left.indent or _PAIR.match(text) is not None:
            return text, NOTHING_LEFT
        put, _, _ = redact_items(match["value"], 0, left.kind, left.weak, self._removed)
        return match["lead"] + put + text[match.end() :], left

    def _array(self, text: str, left: Left) -> tuple[str, Left]:
        begin = text.find("[") + 1 if text.lstrip().startswith("[") else 0
        put, stop, closed = redact_items(text, begin, left.kind, left.weak, self._removed)
        return text[:begin] + put + text[stop:], NOTHING_LEFT if closed else left

    def _quote(self, text: str, left: Left) -> tuple[str, Left]:
        end = text.find(left.quote)
        while end > 0 and text[end - 1] == "\\":
            end = text.find(left.quote, end + 1)
        inside = text if end < 0 else text[:end]
        if not inside.strip():
            return text, left if end < 0 else NOTHING_LEFT
        return self._whole(inside, left) + text[len(inside) :], left if end < 0 else NOTHING_LEFT

    def _here(self, text: str, left: Left) -> tuple[str, Left]:
        """A line of a here-document, up to the word that ends it."""
        return (text, NOTHING_LEFT) if text.strip(" \t\r;,)") == left.quote else (self._whole(text, left), left)

    def _accounts(self, text: str, left: Left) -> tuple[str, Left]:
        """A line below ``chpasswd:``."""
        if _indent(text) <= left.indent:
            return text, NOTHING_LEFT
        if (match := _ACCOUNT.match(text)) is None:
            return text, left
        begin, end = match.span("value")
        return text[:begin] + replaced(text[begin:end], left.kind, self._removed) + text[end:], left

    def _argument(self, text: str, left: Left) -> tuple[str, Left]:
        match = _WORD.match(text)
        if match is None or match["value"].startswith("-"):
            return text, NOTHING_LEFT
        put = replaced(match["value"], left.kind, self._removed)
        return text[: match.start("value")] + put + text[match.end("value") :], NOTHING_LEFT

    def _whole(self, text: str, left: Left) -> str:
        bare = text.strip()
        if REPLACED.fullmatch(bare) or (left.weak and replaced(bare, left.kind, Counter(), weak=True) == bare):
            return text
        lead = text[: len(text) - len(text.lstrip())]
        return lead + replace_with(left.kind, self._removed) + text[len(text.rstrip()) :]


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))
