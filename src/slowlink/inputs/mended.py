"""Pieces of a text in which something is written in another way, mended as they pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from slowlink.inputs.stream import DamagedError

LONGEST_BEGUN = 10
"""Bytes at the end of a piece of which the next may make something to mend."""


def mended(pieces: Iterable[bytes], mend: Callable[[bytes], bytes], begun: re.Pattern[bytes]) -> Iterator[bytes]:
    """``pieces``, each mended. ``begun`` is found at the end of a piece (in its last ``LONGEST_BEGUN`` bytes) that the
    next one may complete.

    What ends ``pieces`` early is raised behind the last of them.
    """
    held = b""
    broken: BaseException | None = None
    waiting = iter(pieces)
    while True:
        try:
            piece = next(waiting, None)
        except (DamagedError, OSError, KeyboardInterrupt) as end:
            piece, broken = None, end
        if piece is None:
            break
        text = held + piece
        found = begun.search(text, max(0, len(text) - LONGEST_BEGUN))
        cut = found.start() if found is not None else len(text)
        held = text[cut:]
        yield mend(text[:cut])
    if held:
        yield mend(held)
    if broken is not None:
        raise broken
