"""The lines of NCCL's Inspector out of a text, as bytes: a rank of a day's training has a million."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import DecodeError, ValidationError
from msgspec.json import Decoder

from slowlink.model.timed_calls import INSPECTOR, TimedCalls
from slowlink.parsers.forms.columns.timed_calls import CallColumns
from slowlink.parsers.nccl.inspector.record import Called, add_call


class InspectorLines:
    """Takes lines that are whole, and says so: all others stay with the text."""

    kind: ClassVar[str] = INSPECTOR
    begins: ClassVar[bytes] = b'{"header":{"id":"'

    def __init__(self, source: str) -> None:
        self._columns = CallColumns(source)
        self._decode = Decoder(Called).decode

    def take(self, line: bytes, number: int) -> bool:
        """Is it one call, with a value for each thing that we ask of it?"""
        try:
            called = self._decode(line)
        except (DecodeError, ValidationError, UnicodeDecodeError):
            return False
        if called.coll_perf is None and called.p2p_perf is None:
            return False
        add_call(self._columns, called, number)
        return True

    def keep_last(self, most: int) -> None:
        """Forget all but the last calls of each communicator."""
        self._columns.keep_last(most)

    def finish(self) -> Iterable[TimedCalls]:
        """All calls."""
        return self._columns.records()
