"""The lines of accl-profiler out of a text, as bytes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import DecodeError, ValidationError
from msgspec.json import Decoder
from msgspec.structs import replace

from slowlink.model.timed_calls import ACCL, TimedCalls
from slowlink.parsers.forms.columns.timed_calls import CallColumns
from slowlink.parsers.nccl.accl_profiler.file_name import WrittenBy
from slowlink.parsers.nccl.accl_profiler.record import Called, Summarized, add_call, lost_words

_CALL, _SUMMARY = b'{"header":{"rank":', b'{"summary":'


class AcclLines:
    """Takes whole lines: calls, and the summary behind them."""

    kind: ClassVar[str] = ACCL
    begins: ClassVar[bytes] = _CALL

    def __init__(self, source: str) -> None:
        self._columns = CallColumns(source)
        self._by = WrittenBy.of(source)
        self._decode = Decoder(Called).decode
        self._summarized = self._summarizes = False
        self._lost = ""

    def take(self, line: bytes, number: int) -> bool:
        """Is it one call or a summary, with a value for each thing that we ask of it?"""
        try:
            if line.startswith(_SUMMARY):
                return self._end(line)
            called = self._decode(line)
        except (DecodeError, ValidationError, UnicodeDecodeError):
            return False
        self._summarized = False
        self._summarizes |= called.has_summaries
        add_call(self._columns, called, self._by, number)
        return True

    def _end(self, line: bytes) -> bool:
        summary = Decoder(Summarized).decode(line).summary
        self._summarized = self._summarizes = True
        self._lost = lost_words(summary)
        return True

    def keep_last(self, most: int) -> None:
        """Forget all but the last calls."""
        self._columns.keep_last(most)

    def finish(self) -> Iterable[TimedCalls]:
        """All calls, with what the summary says of them."""
        open_yet = self._summarizes and not self._summarized
        return (replace(calls, lost=self._lost, unfinished=open_yet) for calls in self._columns.records())
