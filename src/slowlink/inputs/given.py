"""What a Python program gives to be read: paths, bytes, open files, or lines as they come."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import IO

from slowlink.errors import SlowlinkError
from slowlink.inputs.opened import Input
from slowlink.inputs.progress import Progress
from slowlink.inputs.walk import open_inputs, open_stream

One = str | PathLike[str] | bytes | bytearray | IO[bytes] | IO[str]
"""A path (``-``: standard input), the content itself, or an open file."""
Given = One | Sequence[One] | Iterable[str] | Iterable[bytes]
"""One, a list or tuple of them, or any other iterable: its lines. A list with the end of a line in one is of lines."""
_NAME = "input"


def open_given(given: Given, progress: Progress | None = None) -> Iterator[Input]:
    """Every text in ``given``, in order; archives and compressed content unfold, whatever they come in.

    Raises SlowlinkError (``input-not-found``, ``input-not-readable``) at once for a path that is not there, and
    (``input-not-readable``) for what is none of all that.
    """
    each = list(given) if isinstance(given, list | tuple) else [given]
    if len(each) > 1 and any(isinstance(one, str) and "\n" in one for one in each):
        each = [iter(each)]
    if all(isinstance(one, str | PathLike) for one in each):
        return _open_paths([fspath(one) for one in each], progress)  # type: ignore[arg-type]
    opened = [_open(one, f"{_NAME}-{number}" if len(each) > 1 else _NAME, progress) for number, one in enumerate(each)]
    return (item for items in opened for item in items)


def _open_paths(paths: Sequence[str], progress: Progress | None) -> Iterator[Input]:
    try:
        return open_inputs(paths, progress)
    except SlowlinkError as error:
        if len(paths) < 2 or error.slug != "input-not-found":
            raise
        hint = "a list holds paths; lines of a log come as an iterator: iter(lines)"
        raise SlowlinkError(error.message, hint=hint, slug=error.slug) from error


def _open(one: object, name: str, progress: Progress | None) -> Iterator[Input]:
    if isinstance(one, str | PathLike):
        return open_inputs([fspath(one)], progress)
    if isinstance(one, bytes | bytearray):
        return open_stream(name, len(one), io.BytesIO(one), progress)
    if hasattr(one, "read"):
        return open_stream(str(getattr(one, "name", name)), None, _Bytes(_pieces(one)), progress)
    if isinstance(one, Iterable) and not isinstance(one, Mapping):
        return open_stream(name, None, _Bytes(_lines(one)), progress)
    raise SlowlinkError(
        f"cannot read a {type(one).__name__}",
        hint="give a path, bytes, an open file, or an iterable of lines",
        slug="input-not-readable",
    )


def _pieces(file: object) -> Iterator[bytes]:
    read = getattr(file, "read1", None) or getattr(file, "read")  # noqa: B009  (any object that reads will do)
    while piece := read(1 << 16):
        yield piece.encode("utf-8", "replace") if isinstance(piece, str) else bytes(piece)


def _lines(lines: Iterable[object]) -> Iterator[bytes]:
    for line in lines:
        data = line.encode("utf-8", "replace") if isinstance(line, str) else bytes(line)  # type: ignore[call-overload]
        yield data if data.endswith(b"\n") else data + b"\n"


class _Bytes(io.RawIOBase):
    """Pieces of bytes as a stream."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:  # noqa: ARG002  (a piece is as long as it is)
        return next(self._pieces, b"")
