"""Dumps as JSON: the same dict, alone, one a line with its rank, or several in one value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.hang import FlightDump
from slowlink.model.source import Ref
from slowlink.parsers.nccl.flight_recorder.containers import dumps_in, holds_dumps


class FlightDocument:
    """Gives one ``FlightDump`` for each dump inside a JSON value."""

    kind: ClassVar[str] = "flight-recorder"

    @staticmethod
    def wants_document(value: object) -> bool:
        return holds_dumps(value)

    def read(self, value: object, source: str, line: int) -> Iterable[FlightDump]:
        return list(dumps_in(value, Ref(source, line)))
