"""Writing to a disk that may be full or closed: every failure is one clear error, and no file is ever half replaced."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from slowlink.errors import SlowlinkError

PIECE = 1 << 18
"""Bytes asked for at a time."""
_OPENED = "/proc/self/fd"
_FORGOTTEN_S = 3600.0
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
"""A file that was not there, and no link to one."""
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SLUGS = ("disk-full", "bundle-unwritable")


def trouble(problem: OSError, path: Path) -> SlowlinkError:
    """What to tell the user of a write that failed."""
    if problem.errno in _FULL:
        return SlowlinkError(
            f"no space left for {path}: {problem.strerror}",
            hint="what was written until now is kept and can be analyzed; make room, or choose another disk",
            slug="disk-full",
        )
    return SlowlinkError(
        f"cannot write {path}: {problem.strerror or problem}",
        hint="check its permissions, or choose another place",
        slug="bundle-unwritable",
    )


def regular_file(path: Path) -> BinaryIO | None:
    """The file, open for reading; None for what is not there, is a link, a pipe or the like, or may not be read."""
    try:
        descriptor = os.open(path, _READ)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    return os.fdopen(descriptor, "rb")


@contextmanager
def nothing_stays(directory: Path | None = None) -> Iterator[None]:
    """For what is written as a whole or not at all: a full disk keeps nothing of it, nor an empty ``directory``."""
    try:
        yield
    except SlowlinkError as error:
        if error.slug != "disk-full":
            raise
        if directory is not None:
            with suppress(OSError):
                directory.rmdir()
        hint = "nothing of it stays; make room, or choose another disk"
        raise SlowlinkError(error.message, hint=hint, slug=error.slug) from error


def is_disk_trouble(error: BaseException) -> bool:
    """Was this raised because the disk did not take what was written?"""
    return isinstance(error, SlowlinkError) and error.slug in _SLUGS


def make_own_directory(directory: Path) -> bool:
    """Make ``directory`` for its owner alone; False when it is there: another slowlink may have begun in this second.
    Raises SlowlinkError."""
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        directory.mkdir(mode=0o700)
    except FileExistsError:
        return False
    except OSError as problem:
        raise trouble(problem, directory) from problem
    return True


def make_bundle_directory(directory: Path) -> None:
    """Make ``directory`` for its owner alone: raw logs name hosts, users and paths. Raises SlowlinkError."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        mine = directory.stat().st_uid == os.geteuid()
        taken = next(directory.iterdir(), None)
        if mine and taken is None:
            directory.chmod(0o700)
    except FileExistsError as problem:
        raise SlowlinkError(f"{directory} is a file", hint="name a new directory", slug="bundle-exists") from problem
    except OSError as problem:
        raise trouble(problem, directory) from problem
    if not mine:
        raise SlowlinkError(
            f"{directory} belongs to another user, who could change what is in it",
            hint="name a new directory",
            slug="bundle-exists",
        )
    if taken is not None:
        raise SlowlinkError(
            f"{directory} is not empty; a bundle is never overwritten",
            hint="name a new directory",
            slug="bundle-exists",
        )


def _part_of(path: Path) -> Path:
    """Where ``path`` is written until it is whole. Runs in two containers have the same number and may share a disk, so
    no two names are alike. What killed runs left beside ``path`` goes when nobody has written to it for an hour."""
    directory, name = path.parent, f".{path.name}."
    try:
        with os.scandir(directory) as entries:
            left = [entry for entry in entries if entry.name.startswith(name) and entry.name.endswith(".part")]
        for entry in left:
            if time.time() - entry.stat(follow_symlinks=False).st_mtime > _FORGOTTEN_S:
                _remove(Path(entry.path))
    except OSError:
        pass  # to write says it better
    return path.with_name(f"{name}{secrets.token_hex(8)}.part")


def replace_text(path: Path, text: str) -> None:
    """Put ``text`` where ``path`` is, as a whole or not at all, for its owner alone. Raises SlowlinkError."""
    try:
        put_whole(path, text.encode("utf-8", "backslashreplace"))
    except OSError as problem:
        raise trouble(problem, path) from problem


def put_whole(path: Path, data: bytes, mode: int = 0o600) -> None:
    """The same for bytes; nothing is left beside ``path``, however the write ends. ``mode``: whom it is for, whatever
    the umask. Raises OSError."""
    part = _part_of(path)
    try:
        with os.fdopen(os.open(part, _NEW, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:  # a full disk, a signal
        # The reason is the first failure; that the rest of it cannot be removed either adds nothing.
        _remove(part)
        raise


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file for its owner alone, put at ``path`` when it is whole. Until then it has no name, where the file system
    can do that, and else one beside ``path``. Raises FileExistsError where something is there already, and
    SlowlinkError."""
    part: Path | None = None
    try:
        descriptor = _nameless(path.parent)
        if descriptor is None:
            part = _part_of(path)
            descriptor = os.open(part, _NEW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            _link(part, file.fileno(), path)  # unlike a rename it replaces nothing
    except FileExistsError:
        raise
    except OSError as problem:
        raise trouble(problem, path) from problem
    finally:
        if part is not None:
            _remove(part)


def _link(part: Path | None, descriptor: int, path: Path) -> None:
    if part is not None:
        os.link(part, path, follow_symlinks=False)
        return
    opened = os.open(_OPENED, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.link(str(descriptor), path, src_dir_fd=opened)  # with a directory the link there is followed
    finally:
        os.close(opened)


def _nameless(directory: Path) -> int | None:
    """A new file without a name, which is gone when whoever writes it is killed; None where there are none such."""
    try:
        if not Path(_OPENED).is_dir():
            return None
        return os.open(directory, os.O_TMPFILE | os.O_WRONLY, 0o600)
    except OSError:  # not this file system, or this directory; to open a file with a name tells which
        return None


def forget_directories(parent: Path, front: str) -> None:
    """Remove directories of ours in ``parent`` that killed runs left: their names begin with ``front``, and nobody has
    put anything into them for an hour."""
    try:
        with os.scandir(parent) as entries:
            left = [entry for entry in entries if entry.name.startswith(front) and entry.is_dir(follow_symlinks=False)]
        for entry in left:
            state = entry.stat(follow_symlinks=False)
            if state.st_uid == os.geteuid() and time.time() - state.st_mtime > _FORGOTTEN_S:
                shutil.rmtree(entry.path, ignore_errors=True)
    except OSError:
        pass  # to write says it better


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except OSError:
        return


def open_new(path: Path) -> BinaryIO:
    """A file that was not there before, with the directories above it, without a buffer. Raises SlowlinkError."""
    try:
        make_private(path.parent)
        return cast(BinaryIO, os.fdopen(os.open(path, _NEW, 0o600), "wb", buffering=0))
    except OSError as problem:
        raise trouble(problem, path) from problem


def make_private(directory: Path) -> None:
    """``directory`` and those above it that are missing, for their owner alone (``parents=True`` leaves those open)."""
    if not directory.is_dir():
        make_private(directory.parent)
        directory.mkdir(mode=0o700, exist_ok=True)


def append(file: BinaryIO, text: str, path: Path) -> None:
    """Hand all of ``text`` to the operating system. Raises SlowlinkError."""
    data = memoryview(text.encode("utf-8", "backslashreplace"))
    try:
        while data:
            data = data[file.write(data) :]
    except OSError as problem:
        raise trouble(problem, path) from problem
