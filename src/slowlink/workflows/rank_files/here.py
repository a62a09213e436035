"""Ranks write into a directory that this machine sees: they run here, or the file system is shared."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from slowlink.errors import SlowlinkError
from slowlink.workflows.rank_files.interface import DEBUG_DIRECTORY, DEBUG_KIND

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter, CaptureWriter
    from slowlink.bundle.writer import Sink as FileSink
    from slowlink.workflows.rank_files.interface import Sink


class FilesHere:
    """Files below ``directory``; of those that lie there itself, ``outputs`` are taken."""

    def __init__(self, directory: Path, outputs: tuple[str, ...]) -> None:
        self._directory, self._outputs = directory, outputs

    def make(self) -> dict[str, str]:
        """Raises SlowlinkError (``disk-full``)."""
        self.remove()
        try:
            (self._directory / DEBUG_DIRECTORY).mkdir(parents=True)
        except OSError as error:
            raise SlowlinkError(
                f"cannot make {self._directory}: {error.strerror}",
                hint="set TMPDIR to a place with space",
                slug="disk-full",
            ) from error
        return {}

    def take(self, capture: CaptureWriter | None, bundle: BundleWriter, name: str) -> dict[str, str]:
        for output in self._outputs:
            path = self._directory / output
            if capture is None or not path.is_file():
                continue
            if path.suffix == ".gz":
                _unpack(path, capture.file(output.removesuffix(".gz")))
            else:
                capture.collect(path, output)
        if logs := sorted((self._directory / DEBUG_DIRECTORY).glob("*")):
            with bundle.capture(f"{DEBUG_KIND}-{name}", DEBUG_KIND, ()) as debug:
                for path in logs:
                    debug.collect(path)
        self.remove()
        return {}

    def through(self, sink: Sink) -> Sink:
        return sink

    def remove(self) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)


def _unpack(path: Path, sink: FileSink) -> None:
    """Compressed text as text, so that it is redacted too."""
    import gzip
    import zlib

    try:
        with gzip.open(path, "rb") as source:
            while piece := source.read(1 << 20):
                sink.write_bytes(piece)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return  # rank 0 was killed while it wrote: what was readable is kept
