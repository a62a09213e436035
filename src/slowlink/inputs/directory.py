"""Files below a directory, in order of names. Nothing foreign is followed: a symbolic link is named, and not read.

Whoever wrote the directory may have meant harm, or may still be at it: each folder and file is opened below the open
folder above it, so that a name that becomes a link in between leads nowhere.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from itertools import islice
from typing import BinaryIO, NamedTuple

MOST_FILES = 200_000
"""Files and folders below one directory; a file a rank of the largest jobs is a tenth of it."""
MOST_DEPTH = 64
"""Folders in folders; each of them is held open."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Entry(NamedTuple):
    """One file below a directory, or why it is not read."""

    path: str
    folder: str
    """The path of the folder that holds it."""
    folder_fd: int
    """That folder, open while the entry is looked at."""
    problem: str = ""
    """"" for what may be opened. What a link leads to is not of this folder, and a pipe or a socket holds nothing."""
    partial: bool = False
    """Files that should be looked at are not: a limit, or no permission."""
    whole: bool = False
    """A folder that was asked for as it is (``folder_fd``); what lies in it is not looked at."""

    def open(self) -> tuple[BinaryIO, int]:
        """The file and its size in bytes. Raises OSError, also for what is no regular file."""
        descriptor = os.open(os.path.basename(self.path), _FILE, dir_fd=self.folder_fd)  # noqa: PTH119
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            os.close(descriptor)
            raise OSError(0, "not a regular file")
        return os.fdopen(descriptor, "rb"), status.st_size


class Place(NamedTuple):
    """A regular file or a directory that is open for reading."""

    name: str
    """As whoever asked for it wrote it."""
    descriptor: int
    is_directory: bool
    size: int
    """Bytes of a file."""


def entries_below(
    top: str, is_whole: Callable[[int], bool] = lambda _folder: False, descriptor: int | None = None
) -> Iterator[Entry]:
    """The files of ``top``, then those of its folders, each by name. ``top`` itself may be a link: its user named it.

    At most ``MOST_FILES`` are looked at; an Entry with a problem says that there are more. ``is_whole`` sees every open
    folder: one that it takes is one Entry. ``descriptor``: ``top``, where it is open already; it is closed at the end.
    """
    try:
        descriptor = os.open(top, _FOLDER) if descriptor is None else descriptor
    except OSError as problem:
        yield Entry(top, top, -1, f"cannot be read: {problem.strerror}", partial=True)
        return
    yield from _walk(top, descriptor, [MOST_FILES], 0, is_whole)


def _walk(
    folder: str, descriptor: int, left: list[int], depth: int, is_whole: Callable[[int], bool]
) -> Iterator[Entry]:
    """``left`` holds how many entries may still be looked at, in all folders. Closes ``descriptor``."""
    try:
        if is_whole(descriptor):
            yield Entry(folder, folder, descriptor, whole=True)
            return
        folders = []
        entries, more = _listed(descriptor, left)
        for name, kind in entries:
            path = os.path.join(folder, name)  # noqa: PTH118 - keeps the user's own spelling of the path
            if kind == "folder":
                folders.append((name, path))
            else:
                yield Entry(path, folder, descriptor, "" if kind == "file" else kind)
        for name, path in folders:
            yield from _below(name, path, descriptor, left, depth + 1, is_whole)
        if more:
            yield Entry(
                folder,
                folder,
                descriptor,
                f"holds more than {MOST_FILES} files; the others were not read",
                partial=True,
            )
    except OSError as problem:
        yield Entry(folder, folder, -1, f"cannot be read: {problem.strerror}", partial=True)
    finally:
        os.close(descriptor)


def _below(
    name: str, path: str, above: int, left: list[int], depth: int, is_whole: Callable[[int], bool]
) -> Iterator[Entry]:
    if depth > MOST_DEPTH:
        yield Entry(path, path, -1, f"lies more than {MOST_DEPTH} folders deep, not read", partial=True)
        return
    try:
        descriptor = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
    except OSError as problem:
        yield Entry(path, path, -1, f"cannot be read: {problem.strerror}", partial=True)
        return
    yield from _walk(path, descriptor, left, depth, is_whole)


def _listed(descriptor: int, left: list[int]) -> tuple[list[tuple[str, str]], bool]:
    """(name, kind) by name, and whether there were more than may be looked at."""
    with os.scandir(descriptor) as found:
        entries = [(entry.name, _kind(entry)) for entry in islice(found, left[0])]
        more = next(found, None) is not None
    left[0] -= len(entries)
    return sorted(entries), more


def _kind(entry: os.DirEntry[str]) -> str:
    """``file``, ``folder``, or why it is not read."""
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    if entry.is_file(follow_symlinks=False):
        return "file"
    return f"{kind_of_file(entry.stat(follow_symlinks=False).st_mode)}, not read"


def kind_of_file(mode: int) -> str:
    """What it is, in words."""
    words = ((stat.S_ISLNK, "a symbolic link"), (stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"))
    return next((text for is_it, text in words if is_it(mode)), "a device")
