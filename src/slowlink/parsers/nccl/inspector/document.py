"""One call of NCCL's Inspector as a JSON value in some other log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import ValidationError, convert

from slowlink.model.timed_calls import INSPECTOR, TimedCalls
from slowlink.parsers.forms.columns.timed_calls import CallColumns
from slowlink.parsers.nccl.inspector.record import Called, add_call


class InspectorDocument:
    """Gives a column of one call."""

    kind: ClassVar[str] = INSPECTOR

    @staticmethod
    def wants_document(value: object) -> bool:
        if not isinstance(value, dict) or not ("coll_perf" in value or "p2p_perf" in value):
            return False
        header = value.get("header")
        return isinstance(header, dict) and {"id", "rank", "n_ranks"} <= header.keys()

    def read(self, value: object, source: str, line: int) -> Iterable[TimedCalls]:
        try:
            called = convert(value, Called)
        except (ValidationError, OverflowError):
            return ()
        columns = CallColumns(source)
        add_call(columns, called, line)
        return tuple(columns.records())
