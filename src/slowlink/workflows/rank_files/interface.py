"""What a run does with the files of its ranks."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from slowlink.bundle import BundleWriter, CaptureWriter

    Sink = Callable[[bytes], None]

DEBUG_DIRECTORY = "nccl-debug"
"""Below the ranks' directory: NCCL's own words, one file a rank."""
DEBUG_KIND = "nccl-debug"
_MOST_BYTES = 256 << 20
"""Of one compressed file, taken apart."""


class RankFiles(Protocol):
    """Where the ranks of a run write, seen from here."""

    def make(self) -> dict[str, str]:
        """Before a launch: an empty directory. Node -> why it has none."""

    def take(self, capture: CaptureWriter | None, bundle: BundleWriter, name: str) -> dict[str, str]:
        """After the launch ``name``: everything into the bundle. Node -> what did not come. ``capture``: the launch's
        own, open, for what rank 0 wrote; None where there is none such.

        What was taken is gone afterwards: the bundle has it, redacted."""

    def remove(self) -> None:
        """At the end, also of a run that failed."""

    def through(self, sink: Sink) -> Sink:
        """Where the job's standard output goes: into ``sink``, less the files, where these come with it."""


def unpacked(name: str, data: bytes) -> tuple[str, bytes]:
    """Name and content of a file for the bundle: compressed text as text, so that it is redacted too."""
    if not name.endswith(".gz"):
        return name, data
    return name.removesuffix(".gz"), inflated(data, _MOST_BYTES)


def inflated(data: bytes, most: int) -> bytes:
    """The first ``most`` bytes of gzip's ``data``, as far as they can be read: the writer may have been killed."""
    out = bytearray()
    while data and len(out) < most:
        stream = zlib.decompressobj(31)
        try:
            out += stream.decompress(data, most - len(out))
        except zlib.error:
            break
        data = stream.unused_data  # gzip's files may stand one behind another
    return bytes(out)
