"""One input: a name that its user can find, and bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from slowlink.inputs.stream import DamagedError


class Input:
    """A text to read. Inputs of one archive come one after another: read each before asking for the next.

    ``problem`` is None, or says in words why the text could not be read to its end; it is final once the
    chunks have ended. A text that is binary or cannot be opened has no chunks and a problem from the start.
    """

    def __init__(self, name: str, size: int | None, pieces: Iterable[bytes] = (), problem: str | None = None) -> None:
        self.name = name
        self.size = size
        """Bytes when unpacked, where that is known beforehand."""
        self.problem = problem
        self._pieces = iter(pieces)

    def chunks(self) -> Iterator[bytes]:
        """The bytes as UTF-8, in pieces of any length. Once only."""
        try:
            yield from self._pieces
        except DamagedError as broken:
            self.problem = str(broken)
        except OSError as broken:
            self.problem = f"cannot be read: {broken.strerror or broken}"
