"""What modules of parsers declare, and parsers that are imported when a line first asks for them."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any

from msgspec import MsgspecError, Struct, json

Gate = tuple[tuple[str, ...], ...]
"""See ``forms.gates``."""


class Lines(Struct, frozen=True, omit_defaults=True):
    """What the reader asks of a ``PARSER`` before any line is shown to it."""

    name: str
    kind: str
    last_resort: int = 0
    reads_beside: bool = False
    hears: bool = False
    """Has it got ``hears``?"""
    lone: bool = False
    digits_alike: bool = False
    reads_rows: bool = False
    literals: tuple[str, ...] | None = None
    fold: bool = False
    """Of the literals: are they searched in small letters?"""
    gate: Gate = ()


class Beginning(Struct, frozen=True):
    """Of the lines of a ``TAKER``."""

    kind: str
    begins: str


class Declared(Struct, frozen=True, omit_defaults=True):
    """What one module has."""

    lines: Lines | None = None
    document: bool = False
    binary: bool = False
    of_text: bool = False
    """Of a ``BINARY``: is its format text?"""
    taker: Beginning | None = None


def declared_by(module: ModuleType) -> Declared:
    """Asked of the module itself."""
    unit = getattr(module, "PARSER", None)
    return Declared(
        lines=_lines_of(unit) if unit is not None else None,
        document=hasattr(module, "DOCUMENT"),
        binary=hasattr(module, "BINARY"),
        of_text=getattr(getattr(module, "BINARY", None), "of_text", False),
        taker=_beginning_of(module.TAKER) if hasattr(module, "TAKER") else None,
    )


def _beginning_of(unit: Any) -> Beginning:
    return Beginning(unit.kind, unit.begins.decode("ascii"))


def _lines_of(unit: Any) -> Lines:
    literals = getattr(unit, "literals", None)
    return Lines(
        name=unit.__name__,
        kind=unit.kind,
        last_resort=int(getattr(unit, "last_resort", 0)),
        reads_beside=getattr(unit, "reads_beside", False),
        hears=hasattr(unit, "hears"),
        lone=getattr(unit, "lone", False),
        digits_alike=getattr(unit, "digits_alike", False),
        reads_rows=hasattr(unit, "row"),
        literals=None if literals is None else tuple(sorted(literals.texts)),
        fold=literals is not None and literals.folds,
        gate=unit.gate() if hasattr(unit, "gate") else (),
    )


class Later:
    """Stands for a parser's class; its first use imports the module and asks the class itself."""

    def __init__(self, module: str, attribute: str, lines: Lines | None = None, **told: object) -> None:
        self.__module__ = module
        self._attribute = attribute
        self._known: Any = None
        self.__dict__.update(told)
        if lines is not None:
            self.__name__, self.kind = lines.name, lines.kind
            self.last_resort, self.reads_beside = lines.last_resort, lines.reads_beside
            self.literals, self.gate = _literals(lines), lines.gate
            self.lone, self.digits_alike, self.reads_rows = lines.lone, lines.digits_alike, lines.reads_rows
            if lines.hears:
                self.hears = self._hears

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "hears":
            raise AttributeError(name)
        value = getattr(self._unit(), name)
        self.__dict__[name] = value
        return value

    def __call__(self, *arguments: object) -> Any:
        return self._unit()(*arguments)

    def _hears(self, text: str) -> bool:
        return bool(self._unit().hears(text))

    def _unit(self) -> Any:
        if self._known is None:
            self._known = getattr(import_module(self.__module__), self._attribute)
        return self._known


def _literals(lines: Lines) -> Any:
    from slowlink.parsers.forms.literals import Literals

    return None if lines.literals is None else Literals(lines.literals, fold=lines.fold)


def expect_literals(path: str) -> None:
    """Have all literals of all parsers searched for from the start."""
    from slowlink.parsers.forms.literals import Texts, expect

    with suppress(OSError, MsgspecError), open(path, "rb") as file:  # noqa: PTH123  (pathlib would cost start-up time)
        expect(json.decode(file.read(), type=Texts))
