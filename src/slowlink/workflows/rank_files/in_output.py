"""Ranks write into a directory of their own pod or node, which is given back at the end: the job prints the files
behind its own output, in frames, and they are taken out of it here::

    #slowlink-nodes 5e2f... node-0.run node-1.run
    #slowlink-node 5e2f... node-0.run
    (the frames of one node, ``framed.py``)
    #slowlink-all 5e2f...

What a job prints is believed in nothing: names are checked, and sizes are bounded.
"""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

from slowlink.model.plan import Ended, NodeScripts
from slowlink.workflows.rank_files.framed import left_out, make_script, received, send_bounded_script
from slowlink.workflows.rank_files.interface import DEBUG_DIRECTORY, DEBUG_KIND, unpacked

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter, CaptureWriter
    from slowlink.workflows.rank_files.interface import Sink

_MOST_SENT = 8 << 20
"""Of all nodes together: the log of a container is rotated at 10 MiB."""
_LEAST_SENT = 128 << 10
_MOST_KEPT = 64 << 20
"""Of one launch, whatever a job may print."""
_NODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,252}")
_DEBUG = f"{DEBUG_DIRECTORY}/"
_LINES = re.compile(rb"[^\n]*\n|[^\n]+")
_LONGEST = 1 << 20
_UNKNOWN = "(nodes)"


def scripts_around(directory: Path, outputs: tuple[str, ...], nodes: int, mark: str) -> NodeScripts:
    """What each of ``nodes`` does before and after the ranks."""
    share = max(_MOST_SENT // max(nodes, 1), _LEAST_SENT)
    place = str(directory)
    return NodeScripts(make_script(place), send_bounded_script(place, outputs, mark, share), mark)


class FilesInOutput:
    """Files of a run whose frames carry ``mark``; ``outputs`` are what rank 0 writes."""

    def __init__(self, mark: str, outputs: tuple[str, ...]) -> None:
        self._mark, self._outputs = mark, outputs
        self._framed = bytearray()

    def make(self) -> dict[str, str]:
        return {}

    def through(self, sink: Sink) -> Sink:
        self._framed.clear()
        return _Apart(self._mark, sink, self._framed).take

    def take(self, capture: CaptureWriter | None, bundle: BundleWriter, name: str) -> dict[str, str]:
        text = self._framed.decode("utf-8", "replace")
        sections = dict(_sections(text, self._mark))
        missing: dict[str, str] = {}
        taken: set[str] = set()
        if not sections:
            missing[_UNKNOWN] = "the job ended before it sent what its ranks wrote"
        with bundle.many():
            for node, section in sections.items():
                files, is_all = received(section, self._mark)
                why = _why(is_all, [each.name for each in files if not each.is_whole], left_out(section, self._mark))
                if why:
                    missing[node] = why
                for file in files:
                    if capture is not None and file.name in self._outputs and file.name not in taken:
                        taken.add(file.name)
                        path, data = unpacked(file.name, file.data)
                        capture.file(path).write_bytes(data)
                logs = {each.name.removeprefix(_DEBUG): each.data for each in files if each.name.startswith(_DEBUG)}
                if logs or why:
                    _keep(bundle, f"{DEBUG_KIND}-{name}/{node}", node, logs, why)
        self._framed.clear()
        return missing

    def remove(self) -> None:
        """Pods take their directories with them."""


def _why(is_all: bool, cut: list[str], beyond: list[str]) -> str:
    """Empty where everything came."""
    if not is_all:
        return "its files did not come, or not all: it did not answer, or its time was over"
    if cut:
        return f"only a part of {', '.join(cut[:4])}"
    return f"too large to be sent: {', '.join(beyond[:4])}" if beyond else ""


def _keep(bundle: BundleWriter, name: str, node: str, logs: dict[str, bytes], why: str) -> None:
    with bundle.capture(name, DEBUG_KIND, (), node=node) as debug:
        for log, data in logs.items():
            debug.file(log).write_bytes(data)
        reason, lost = ("unanswered", (node,)) if why else ("exited", ())
        debug.end(Ended(None if why else 0, None, reason, time.time(), 0.0, why, lost))


def _sections(text: str, mark: str) -> list[tuple[str, str]]:
    """Node -> what it sent; nodes that were announced and sent nothing have an empty section."""
    announced = re.search(rf"^#slowlink-nodes {mark} (.*)$", text, flags=re.MULTILINE)
    found = {name: "" for name in announced[1].split() if _NODE.fullmatch(name)} if announced else {}
    for piece in re.split(rf"^#slowlink-node {mark} ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = piece.partition("\n")
        # A log that is read twice, or to its end after a cut, may show a node again: the most that it sent counts.
        if name in found and len(rest) > len(found[name]):
            found[name] = rest
    return list(found.items())


class _Apart:
    """Lines between the first frame and the last go into ``framed``, all others on, as soon as they are here."""

    def __init__(self, mark: str, sink: Sink, framed: bytearray) -> None:
        self._begin, self._end = f"#slowlink-nodes {mark} ".encode(), f"#slowlink-all {mark}".encode()
        self._sink, self._framed = sink, framed
        self._held = b""
        """The begin of a line that may be that of a frame."""
        self._at_line_start, self._inside = True, False

    def take(self, chunk: bytes) -> None:
        on: list[bytes] = []
        for piece in _LINES.findall(self._held + chunk):
            self._piece(piece, on)
        if on:
            self._sink(b"".join(on))

    def _piece(self, piece: bytes, on: list[bytes]) -> None:
        whole = piece.endswith(b"\n")
        self._held = b""
        if self._inside:
            self._spool(piece, whole)
            return
        may_begin = self._begin.startswith(piece[: len(self._begin)]) if self._at_line_start else False
        if may_begin and not whole and len(piece) < _LONGEST:
            self._held = piece
            return
        if may_begin and piece.startswith(self._begin):
            self._inside = True
            self._spool(piece, whole)
            return
        on.append(piece)
        self._at_line_start = whole

    def _spool(self, piece: bytes, whole: bool) -> None:
        if not whole and len(piece) < _LONGEST:
            self._held = piece
            return
        if len(self._framed) + len(piece) <= _MOST_KEPT:
            self._framed += piece
        if piece.rstrip(b"\r\n") == self._end:
            self._inside, self._at_line_start = False, True
