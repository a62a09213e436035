"""Reports that ``-o`` asks for: beside the place first, then renamed, so that no name ever holds half a report.

A pipe, or the standard output by its name, is written into: whoever names one wants to read there.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from slowlink.errors import SlowlinkError

_STREAMS = ("/dev", "/dev/fd", "/proc/self/fd")
"""Directories in which a link stands for a stream that is open."""
_VERDICTS = (b"HEALTHY", b"DEGRADED", b"BROKEN", b"INCONCLUSIVE")
_OURS = (
    *(start + verdict for verdict in _VERDICTS for start in (b"", b"## ")),
    b"<!-- written by slowlink -->",
    b'{\n  "schema": "slowlink.report/',
    b'{\n  "schema": "slowlink.comparison/',
)
"""How reports of ours begin; ``_MARKS`` stand in the beginning of the others."""
_MARKS = (*(b"<title>" + verdict for verdict in _VERDICTS), b'<testsuites name="slowlink"')
_HEAD_BYTES = 4096
_SUFFIXES = {
    ".json": "json",
    ".md": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xml": "junit",
    ".txt": "full",
}


def format_of(name: str, in_stream: str = "terminal") -> str:
    """By the name's suffix; what goes into a pipe or the like without one is ``in_stream``."""
    suffix = Path(name).suffix.lower()
    if suffix not in _SUFFIXES and is_stream(Path(name)):
        return in_stream
    if suffix not in _SUFFIXES:
        raise click.BadParameter(f"'{name}': the suffix must be one of {', '.join(_SUFFIXES)}", param_hint="--output")
    return _SUFFIXES[suffix]


def write_report(path: Path, text: str) -> None:
    """Put ``text`` at ``path``, readable by its owner alone. A symbolic link there is replaced, not followed.

    Raises SlowlinkError: ``output-unwritable``.
    """
    from slowlink.bundle.disk import replace_text

    if is_stream(path):
        _write_into(path, text)
        return
    try:
        replace_text(path, text)
    except SlowlinkError as error:
        raise SlowlinkError(
            error.message, hint="choose another place with --output", slug="output-unwritable"
        ) from error


def is_stream(path: Path) -> bool:
    """Is this a pipe, a terminal, or a name of a stream that is open?"""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or (stat.S_ISLNK(mode) and str(path.absolute().parent) in _STREAMS)


def _write_into(path: Path, text: str) -> None:
    try:
        with os.fdopen(_opened(path), "wb", buffering=0) as stream:
            data = memoryview(text.encode("utf-8", "backslashreplace"))
            while data:
                data = data[stream.write(data) :]
    except OSError as error:
        raise SlowlinkError(
            f"cannot write into {path}: {error.strerror}",
            hint="choose another place with --output",
            slug="output-unwritable",
        ) from error


def _opened(path: Path) -> int:
    """A descriptor of the stream; of one that is open already it has the place where the next byte goes."""
    number = {"stdin": "0", "stdout": "1", "stderr": "2"}.get(path.name, path.name)
    is_open = str(path.absolute().parent) in _STREAMS and number.isdecimal()
    return os.dup(int(number)) if is_open else os.open(path, os.O_WRONLY)


_NAMED_INPUTS = (
    *("source", "sources", "paths", "file", "simulate", "leaves", "catalog_path", "remove_from", "config_path"),
    *("hostfile", "retry", "env_from", "resume"),
)
"""Options of all commands that name what is read."""


def inputs_of(given: Mapping[str, Any]) -> list[str]:
    """What the options of a command name as inputs."""
    values = [given.get(name) or () for name in _NAMED_INPUTS]
    return [str(path) for value in values for path in ([value] if isinstance(value, (str, Path)) else value)]


def require_places(targets: Sequence[Path], inputs: Sequence[str]) -> None:
    """Look before the work at where reports are to go. Raises SlowlinkError: ``output-unwritable`` (a folder, a
    socket), ``output-is-input`` (one of ``inputs``, or a file in one that is no report of ours)."""
    for target in targets:
        if is_stream(target):
            continue
        if what := _unwritable(target):
            raise SlowlinkError(f"cannot write {target}: {what}", hint="name a file", slug="output-unwritable")
        for name in inputs:
            if _is_read_from(target, Path(name)):
                raise SlowlinkError(
                    f"{target} is an input: the report would take its place",
                    hint="name another file with --output",
                    slug="output-is-input",
                )


def _unwritable(target: Path) -> str:
    """Why no report can be put there, as far as a look tells; "" where nothing stands against it."""
    try:
        if target.is_dir():
            return "it is a directory"
        return "it is no regular file" if target.exists() and not target.is_file() else ""
    except OSError as error:
        return error.strerror or str(error)


def _is_read_from(target: Path, source: Path) -> bool:
    try:
        if source.is_dir():
            inside = os.path.realpath(source) in map(str, Path(os.path.realpath(target)).parents)
            return inside and target.is_file() and not target.is_symlink() and not _is_ours(target)
        return not target.is_symlink() and target.samefile(source)
    except OSError:
        return False


def _is_ours(path: Path) -> bool:
    """Is this an earlier report, which a new one may replace?"""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    return head.startswith(_OURS) or any(mark in head for mark in _MARKS)
