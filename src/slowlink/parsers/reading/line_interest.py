"""Who wants lines of a shape: asked once, and remembered for all sources."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from slowlink.parsers.forms.interface import LineParser
from slowlink.parsers.forms.lines import Dialect, Prefix, form_of
from slowlink.parsers.forms.literals import Choice, Literals

_MAX_DIALECTS = 16
_MAX_FORM_BYTES = 16 << 20


class Plan(NamedTuple):
    """What to do with every line of one shape."""

    prefix: Prefix
    wanted_by: tuple[int, ...]
    opens_json: bool


def may_want(unit: type[LineParser]) -> Callable[[str], bool]:
    """The parser's question for forms; ``wants`` where it has none of its own."""
    asks: Callable[[str], bool] = getattr(unit, "may_want", unit.wants)
    return asks


def literals_of(unit: type[LineParser]) -> Literals | None:
    """The texts, one of which stands in each line that the parser may want; None where it has none."""
    return getattr(unit, "literals", None)


class Asked:
    """Which parsers want a line, asked first by its *form*: its text with every number as one 0.

    A training loop's lines have ever new shapes, because numbers have ever new lengths, and few forms. A parser is
    asked for a line only where it may want the line's form.
    """

    def __init__(self, parsers: tuple[type[LineParser], ...]) -> None:
        self._parsers = parsers
        self._asks = tuple(may_want(unit) for unit in parsers)
        self._worth_asking = Choice([literals_of(unit) for unit in parsers])
        self._forms: dict[bytes, tuple[int, ...]] = {}
        self._held = 0

    def wanted_by(self, text: str) -> tuple[int, ...]:
        """Numbers of the parsers that want ``text``, in order."""
        possible = self._possible(text)
        parsers = self._parsers
        return tuple(index for index in possible if parsers[index].wants(text)) if possible else ()

    def _possible(self, text: str) -> tuple[int, ...]:
        form = form_of(text)
        known = self._forms.get(form)
        if known is None:
            if self._held > _MAX_FORM_BYTES:
                self._forms.clear()
                self._held = 0
            self._held += len(form) + 100
            plain = form.decode("utf-8", "replace")
            asks = self._asks
            known = self._forms[form] = tuple(index for index in self._worth_asking.of(plain) if asks[index](plain))
        return known


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
