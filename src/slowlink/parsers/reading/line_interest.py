"""Who wants lines of a shape: asked once, and remembered for all sources."""

from __future__ import annotations

from typing import NamedTuple

from slowlink.parsers.forms.interface import LineParser
from slowlink.parsers.forms.lines import Dialect, Prefix, form_of
from slowlink.parsers.forms.literals import Choice, Literals

_MAX_DIALECTS = 16


class Plan(NamedTuple):
    """What to do with every line of one shape."""

    prefix: Prefix
    wanted_by: tuple[int, ...]
    opens_json: bool


def literals_of(unit: type[LineParser]) -> Literals | None:
    """The texts, one of which stands in each line that the parser may want; None where it has none."""
    return getattr(unit, "literals", None)


class Asked:
    """Which parsers want a line. One search of its *form*, its text with every number as one 0, tells which of them
    are worth asking."""

    def __init__(self, parsers: tuple[type[LineParser], ...]) -> None:
        self._parsers = parsers
        self._worth_asking = Choice([literals_of(unit) for unit in parsers])

    def wanted_by(self, text: str) -> tuple[int, ...]:
        """Numbers of the parsers that want ``text``, in order."""
        form = form_of(text).decode("utf-8", "replace")
        parsers = self._parsers
        return tuple([index for index in self._worth_asking.of(form) if parsers[index].wants(text)])


_PLANS: dict[tuple[tuple[type[LineParser], ...], Dialect], dict[bytes, Plan]] = {}
_ASKED: dict[tuple[type[LineParser], ...], Asked] = {}


def plans_of(parsers: tuple[type[LineParser], ...], dialect: Dialect) -> dict[bytes, Plan]:
    """Shape -> plan, of all sources with this dialect. Thousands may be alike: a transcript of each node."""
    if len(_PLANS) >= _MAX_DIALECTS:
        _PLANS.clear()
    return _PLANS.setdefault((parsers, dialect), {})


def asked_of(parsers: tuple[type[LineParser], ...]) -> Asked:
    """What these parsers were asked, of all sources."""
    known = _ASKED.get(parsers)
    if known is None:
        if len(_ASKED) >= _MAX_DIALECTS:
            _ASKED.clear()
        known = _ASKED[parsers] = Asked(parsers)
    return known
