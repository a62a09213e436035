"""A dump as PyTorch writes it: one pickle a rank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from slowlink.model.hang import FlightDump
from slowlink.model.source import Ref
from slowlink.parsers.forms.interface import Record
from slowlink.parsers.nccl.flight_recorder.containers import dumps_in
from slowlink.parsers.nccl.flight_recorder.dump import is_dump_name, rank_of_file
from slowlink.parsers.nccl.flight_recorder.pickled import MAX_BYTES, PickleError, is_pickle, unpickle

_START = 256
_KEYS = (b"pg_config", b"entries", b"nccl_version", b"nccl_comm_state")


class FlightFile:
    """Gives the ``FlightDump`` of a file that holds one rank's pickle."""

    kind: ClassVar[str] = "flight-recorder"
    of_text: ClassVar[bool] = False
    otherwise: ClassVar[str] = "a pickle, but no flight recorder"

    @staticmethod
    def wants_start(start: bytes) -> bool:
        return is_pickle(start)

    def read(self, chunks: Iterator[bytes], source: str) -> tuple[list[Record], str | None]:
        held: list[bytes] = []
        size = 0
        for chunk in chunks:
            held.append(chunk)
            size += len(chunk)
            if size > MAX_BYTES:
                return _unreadable(held[0][:_START], source), f"too large: a pickle of more than {MAX_BYTES >> 20} MiB"
        data = b"".join(held)
        held.clear()
        try:
            value = unpickle(data)
        except PickleError as problem:
            return _unreadable(data[:_START], source), str(problem)
        return [*dumps_in(value, Ref(source, 0))], None


def _unreadable(start: bytes, source: str) -> list[Record]:
    """A cut dump still says that its rank wrote one. It is known by its first keys, or else by its name."""
    if not is_dump_name(source) and not any(key in start for key in _KEYS):
        return []
    rank = rank_of_file(source)
    return [FlightDump(Ref(source, 0), rank, "" if rank is None else "file name", partial=True)]
