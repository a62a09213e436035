"""One call of accl-profiler as a JSON value in some other log: nothing there tells its communicator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec import ValidationError, convert

from slowlink.model.timed_calls import ACCL, TimedCalls
from slowlink.parsers.forms.columns.timed_calls import CallColumns
from slowlink.parsers.nccl.accl_profiler.file_name import WrittenBy
from slowlink.parsers.nccl.accl_profiler.record import Called, add_call


class AcclDocument:
    """Gives a column of one call."""

    kind: ClassVar[str] = ACCL

    @staticmethod
    def wants_document(value: object) -> bool:
        if not isinstance(value, dict):
            return False
        header, performed = value.get("header"), value.get("coll_perf")
        return (
            isinstance(header, dict)
            and {"rank", "n_ranks"} <= header.keys()
            and "id" not in header
            and isinstance(performed, dict)
            and "decomposition" in performed
        )

    def read(self, value: object, source: str, line: int) -> Iterable[TimedCalls]:
        try:
            called = convert(value, Called)
        except (ValidationError, OverflowError):
            return ()
        columns = CallColumns(source)
        add_call(columns, called, WrittenBy.of(source), line)
        return tuple(columns.records())
