"""Types of columns that look at what comes out: SQLite keeps any value in any column, and a store may be another's.

Whatever asks, and through whatever function of the database (``max``, ``min``), a value comes from one of these, so
nothing behind them meets a word for a number, a number that is none, or a moment that no calendar has.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, ClassVar

from sqlalchemy import BigInteger, Boolean, Double, Integer, LargeBinary, String, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

_MOST_CHARACTERS = 1 << 24
_LARGEST, _SMALLEST = 1e15, 1e-15
"""Of measured numbers: a ratio of two of them is a number, and so is the sum of many."""
_END_OF_CALENDAR = 253_402_300_799.0
"""The last second of the year 9999."""
_MOST_SHOWN = 40


class DamagedError(Exception):
    """A value that this column cannot hold; the message says which."""


class Checked(TypeDecorator[Any]):
    """A column of the type ``impl`` that holds what ``_read`` takes, and None where it may be unknown."""

    cache_ok = True
    _what: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.cache_ok = True  # SQLAlchemy believes it of each class alone

    def __init__(self, name: str, *, may_be_unknown: bool = False, **of_impl: Any) -> None:
        super().__init__(**of_impl)
        self.name = name
        self.may_be_unknown = may_be_unknown

    def result_processor(self, dialect: Any, coltype: object) -> Callable[[Any], Any]:
        """Instead of that of ``impl``, which takes whatever can be converted: ``bytes(2**40)`` is a terabyte."""
        del dialect, coltype
        return self._checked

    def _checked(self, value: Any) -> Any:
        if value is None and self.may_be_unknown:
            return None
        try:
            return self._read(value)
        except ValueError as error:
            shown = ascii(value[:_MOST_SHOWN] if isinstance(value, str | bytes) else value)
            raise DamagedError(f"{self.name} holds {shown}, which is no {self._what}") from error

    def _read(self, value: Any) -> Any:
        """``value`` as this column holds it. Raises ValueError."""
        raise NotImplementedError


class Words(Checked):
    """A text."""

    impl: type[TypeEngine[Any]] = Text
    _what = "text of its length"

    def _read(self, value: Any) -> str:
        if not isinstance(value, str) or len(value) > _MOST_CHARACTERS:
            raise ValueError
        return value


class Digest(Words):
    """A SHA-256 in hex."""

    impl: type[TypeEngine[Any]] = String


class Count(Checked):
    """How many, or how large: 0 and above."""

    impl: type[TypeEngine[Any]] = BigInteger
    _what = "count"

    def _read(self, value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ValueError
        return value


class Number(Count):
    """The same where 32 bits are enough: numbers of rows."""

    impl: type[TypeEngine[Any]] = Integer


class Measure(Checked):
    """A measured number."""

    impl: type[TypeEngine[Any]] = Double
    _what = "measured number"

    def process_bind_param(self, value: Any, dialect: Any) -> float | None:
        """A report may say anything; what could not be read again would make the whole history unusable."""
        del dialect
        try:
            return None if value is None else self._read(value)
        except ValueError:
            return None

    def _read(self, value: Any) -> float:
        number = _finite(value)
        if number and not _SMALLEST <= abs(number) <= _LARGEST:
            raise ValueError
        return number


class Moment(Checked):
    """Seconds since the epoch."""

    impl: type[TypeEngine[Any]] = Double
    _what = "moment"

    def process_bind_param(self, value: Any, dialect: Any) -> float | None:
        """The nearest that a calendar has: a file or a bundle may be dated before 1970, or after all of it."""
        del dialect
        return None if value is None else min(max(0.0, value), _END_OF_CALENDAR)

    def _read(self, value: Any) -> float:
        number = _finite(value)
        if not 0 <= number <= _END_OF_CALENDAR:
            raise ValueError
        return number


class Flag(Checked):
    """Yes or no."""

    impl: type[TypeEngine[Any]] = Boolean
    _what = "yes or no"

    def _read(self, value: Any) -> bool:
        if not isinstance(value, int) or value not in (0, 1):
            raise ValueError
        return bool(value)


class Document(Checked):
    """Bytes."""

    impl: type[TypeEngine[Any]] = LargeBinary
    _what = "document"

    def _read(self, value: Any) -> bytes:
        if not isinstance(value, bytes | memoryview):
            raise ValueError
        return bytes(value)


def _finite(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise ValueError
    return float(value)
