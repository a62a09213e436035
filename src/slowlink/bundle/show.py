"""A bundle in words: what was run where and when, how it ended, and whether it is as it was written."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator

from slowlink.bundle.reader import Bundle
from slowlink.model.bundle import Manifest
from slowlink.model.plan import Capture, Ended
from slowlink.nodes import fold
from slowlink.units import format_size

MOST_COMMAND_CHARS = 400
_INTEGRITY = {
    "verified": "every file is as it was written",
    "differs": "NOT as it was written",
    "unfinished": "no sums: slowlink was ended before it could write them, or is still at it",
}
_MOST_PROBLEMS = 20


def bundle_text(bundle: Bundle) -> str:
    """Some lines for a terminal. Texts of the bundle are printed without control characters."""
    return "".join(_printable(line) + "\n" for line in _lines(bundle))


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def _lines(bundle: Bundle) -> Iterator[str]:
    yield bundle.path
    if bundle.manifest is not None:
        yield from _about(bundle.manifest)
    total = sum(file.size_bytes for file in bundle.files)
    yield f"  files      {len(bundle.files)}, {_size(total)}"
    yield f"  integrity  {_INTEGRITY[bundle.integrity]}"
    for problem in bundle.problems[:_MOST_PROBLEMS]:
        yield f"             {problem}"
    if len(bundle.problems) > _MOST_PROBLEMS:
        yield f"             and {len(bundle.problems) - _MOST_PROBLEMS} more"
    sizes = {file.path: file.size_bytes for file in bundle.files}
    for capture in bundle.manifest.captures if bundle.manifest is not None else ():
        yield ""
        yield from _capture(capture, sizes)


def _about(manifest: Manifest) -> Iterator[str]:
    yield f"  written    {manifest.created} by slowlink {manifest.slowlink}"
    if manifest.command:
        yield f"  command    {_command(manifest.command)}"
    if manifest.nodes:
        yield f"  nodes      {fold(manifest.nodes)} ({len(manifest.nodes)})"
    if manifest.plan is not None:
        yield f"  launcher   {manifest.plan.launcher}"
    if manifest.redacted:
        removed = ", ".join(f"{kind} {count}" for kind, count in sorted(manifest.redacted.items()))
        yield f"  redacted   {removed}"
    if manifest.anonymized:
        yield "  names      of hosts, addresses and users are replaced"


def _capture(capture: Capture, sizes: dict[str, int]) -> Iterator[str]:
    where = f" on {capture.node}" if capture.node else ""
    yield f"{capture.name} ({capture.kind}){where}: {how_it_ended(capture.ended)}"
    if capture.argv:
        yield f"  $ {_command(capture.argv)}"
    for name, value in capture.env.items():
        yield f"  {name}={value}"
    for path in capture.files:
        yield f"  {path}  {_size(sizes[path]) if path in sizes else 'missing'}"


def how_it_ended(ended: Ended | None) -> str:
    """``exited with status 0 after 12.3 s, begun 2026-01-31T23:59:59Z``."""
    if ended is None:
        return "no end: cut off, or still running"
    if ended.reason == "exited":
        words = f"signal {ended.signal}" if ended.signal is not None else f"exit status {ended.status}"
    else:
        words = ended.reason
    if ended.nodes:
        words += f" ({fold(ended.nodes)})"
    begun = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(min(max(ended.started_at, 0.0), 1e11)))
    detail = f": {ended.detail}" if ended.detail else ""
    return f"{words} after {ended.seconds:.1f} s, begun {begun}{detail}"


def _command(argv: tuple[str, ...]) -> str:
    text = shlex.join(argv)
    return text if len(text) <= MOST_COMMAND_CHARS else text[: MOST_COMMAND_CHARS - 3] + "..."


def _size(size_bytes: int) -> str:
    return format_size(size_bytes) if size_bytes else "empty"
