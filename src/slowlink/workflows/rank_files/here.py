"""Ranks write into a directory that this machine sees: they run here, or the file system is shared."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from slowlink.bundle.disk import regular_file
from slowlink.errors import SlowlinkError
from slowlink.inputs.directory import entries_below
from slowlink.model.plan import Ended
from slowlink.workflows.rank_files.framed import LAST_BYTES, MOST_BYTES, gap
from slowlink.workflows.rank_files.interface import DEBUG_DIRECTORY, DEBUG_KIND

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter, CaptureWriter
    from slowlink.bundle.writer import Sink as FileSink
    from slowlink.workflows.rank_files.interface import Sink


_MOST_NAMED = 8
"""Of what was left out."""
MOST_OUTPUT_BYTES = 512 << 20
"""Of what rank 0 measured, unpacked: a part of it would be of no use."""
_PIECE = 1 << 20


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
        left: list[str] = []
        for output in self._outputs:
            if capture is None or (source := regular_file(self._directory / output)) is None:
                continue
            with source:
                if output.endswith(".gz"):
                    is_whole = _unpack(source, capture.file(output.removesuffix(".gz")))
                elif is_whole := os.fstat(source.fileno()).st_size <= MOST_OUTPUT_BYTES:
                    capture.take_in(source, output)
            if not is_whole:
                left.append(f"{output}: more than {MOST_OUTPUT_BYTES >> 20} MiB")
        self._keep_logs(bundle, f"{DEBUG_KIND}-{name}", left)
        self.remove()
        return {}

    def _keep_logs(self, bundle: BundleWriter, name: str, left: list[str]) -> None:
        """NCCL's logs, in a capture that says what of them and of other files was left out."""
        logs = _below(self._directory / DEBUG_DIRECTORY)
        first = next(logs, None)
        if first is None and not left:
            return
        begun = time.time()
        with bundle.capture(name, DEBUG_KIND, ()) as debug:
            for relative, source, problem in (*((first,) if first is not None else ()), *logs):
                if source is None:
                    left.append(f"{relative}: {problem}")
                    continue
                with source:
                    left_bytes = _take_ends(source, debug.file(relative))
                if left_bytes:
                    left.append(f"{relative}: {left_bytes} bytes between its begin and its end")
            if left:
                words = (
                    "left out: "
                    + "; ".join(left[:_MOST_NAMED])
                    + (f"; {len(left)} in all" if left[_MOST_NAMED:] else "")
                )
                debug.end(Ended(None, None, "written", begun, max(0.0, time.time() - begun), words))

    def through(self, sink: Sink) -> Sink:
        return sink

    def remove(self) -> None:
        shutil.rmtree(self._directory, ignore_errors=True)


def _below(top: Path) -> Iterator[tuple[str, BinaryIO | None, str]]:
    """(name below ``top``, the open file or None, why it is not taken) of what ranks made there.

    They may have made anything: a link, a pipe, a folder in the place of a file, and a link in the place of ``top``.
    """
    try:
        descriptor = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as problem:
        if os.path.lexists(top):
            yield top.name, None, "not the directory that was made" if top.is_symlink() else str(problem.strerror)
        return
    for entry in entries_below(str(top), descriptor=descriptor):
        relative = os.path.relpath(entry.path, top)
        if entry.problem:
            yield relative, None, entry.problem
            continue
        try:
            source, _ = entry.open()
        except OSError as problem:
            yield relative, None, f"cannot be read: {problem.strerror}"
            continue
        yield relative, source, ""


def _take_ends(source: BinaryIO, sink: FileSink) -> int:
    """Take in a file; of one that is longer than is sent from other machines its begin and its end, too: a file may be
    a hole of any length. How many bytes were left out."""
    size = os.fstat(source.fileno()).st_size
    left = max(0, size - MOST_BYTES)
    first = MOST_BYTES - LAST_BYTES if left else MOST_BYTES
    _take(source, first, sink)
    if left:
        sink.write_bytes(gap(left))
        source.seek(size - LAST_BYTES)
        _take(source, LAST_BYTES, sink)
    return left


def _take(source: BinaryIO, most: int, sink: FileSink) -> None:
    while most > 0 and (piece := source.read(min(most, _PIECE))):
        sink.write_bytes(piece)
        most -= len(piece)


def _unpack(packed: BinaryIO, sink: FileSink) -> bool:
    """Compressed text as text, so that it is redacted too. False where it is more than is taken."""
    import gzip
    import zlib

    left = MOST_OUTPUT_BYTES
    try:
        with gzip.open(packed, "rb") as source:
            while left > 0 and (piece := source.read(_PIECE)):
                sink.write_bytes(piece)
                left -= len(piece)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        pass  # rank 0 was killed while it wrote: what was readable is kept
    return left > 0
