"""One input: a name that its user can find, and bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain

from slowlink.inputs.stream import DamagedError


def writable(name: str) -> str:
    """A name of a file as text that UTF-8 has: bytes that are no UTF-8 (names of another system) are written out."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") if _has_bytes(name) else name


def _has_bytes(name: str) -> bool:
    return not name.isascii() and any("\udc80" <= char <= "\udcff" for char in name)


class Input:
    """A text to read. Inputs of one archive come one after another: read each before asking for the next.

    ``problem`` is None, or says in words why the text could not be read to its end; it is final once the
    chunks have ended. What is binary or cannot be opened has no chunks and a problem from the start; the bytes
    of a binary one are there for a reader of its format (``binary``).
    """

    def __init__(
        self,
        name: str,
        size: int | None,
        pieces: Iterable[bytes] = (),
        problem: str | None = None,
        start: bytes = b"",
        partial: bool = False,
    ) -> None:
        self.name = writable(name)
        self.size = size
        """Bytes when unpacked, where that is known beforehand."""
        self.problem = problem
        self.partial = partial
        """Some of it was not read and may be evidence: damage, a limit, no permission, a kind that we do not read."""
        self.start = start
        """The first bytes of a binary input, by which a reader knows its format; b"" for a text."""
        self._pieces: Iterator[bytes] = iter(pieces)

    def chunks(self) -> Iterator[bytes]:
        """The bytes of a text as UTF-8, in pieces of any length. Once only."""
        if not self.start:
            yield from self._read()

    def whole(self, most: int) -> bytes | None:
        """The chunks of a text as one. None, and no chunk lost, where it is longer than ``most`` bytes, no text, or the
        wait for it is interrupted: then its chunks end with the interrupt."""
        if self.start:
            return None
        held: list[bytes] = []
        length = 0
        try:
            with self._noting_damage():
                for piece in self._pieces:
                    held.append(piece)
                    length += len(piece)
                    if length > most:
                        self._pieces = chain(held, self._pieces)
                        return None
        except KeyboardInterrupt as end:
            self._pieces = chain(held, _Raises(end))
            return None
        return b"".join(held)

    def begin(self) -> bytes:
        """The first piece of a text, which its chunks bring again; b"" for none, and where the wait for it is
        interrupted: then its chunks end with the interrupt."""
        if self.start:
            return b""
        first = b""
        try:
            with self._noting_damage():
                first = next(self._pieces, b"")
        except KeyboardInterrupt as end:
            self._pieces = _Raises(end)
        if first:
            self._pieces = chain((first,), self._pieces)
        return first

    def binary(self) -> Iterator[bytes]:
        """The bytes of a binary input as they are, in pieces of any length. Once only; clears the problem that nobody
        reads it."""
        if self.start:
            self.problem, self.partial = None, False
            yield from self._read()

    def _read(self) -> Iterator[bytes]:
        with self._noting_damage():
            yield from self._pieces

    @contextmanager
    def _noting_damage(self) -> Iterator[None]:
        try:
            yield
        except DamagedError as broken:
            self.problem, self.partial = str(broken), True
        except OSError as broken:
            self.problem, self.partial = f"cannot be read: {broken.strerror or broken}", True


class _Raises:
    """An iterator that has nothing left but an exception."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        raise self._error
