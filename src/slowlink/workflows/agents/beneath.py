"""Files below directories that the user named, for whoever asks by paths that are not trusted: no path and no symbolic
link leads out, and nothing but regular files and directories is opened.

A path is followed to where it leads; that place is opened step by step from the directory above it, through no link.
So a name that becomes a link in between leads nowhere.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from slowlink.errors import SlowlinkError
from slowlink.inputs.directory import Place, kind_of_file

_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LAST = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MOST_CHARS = 4096


class Beneath:
    """Directories, all of what lies below which may be read."""

    def __init__(self, directories: Sequence[str]) -> None:
        """Relative paths are looked for below the first. Raises SlowlinkError (``root-not-readable``)."""
        self.directories = tuple(_root(directory) for directory in directories)

    @contextmanager
    def opened(self, path: str) -> Iterator[Place]:
        """What lies at ``path``, for as long as the block lasts.

        Raises SlowlinkError: ``path-outside`` for whatever lies or leads elsewhere, be it there or not;
        ``input-not-found``, ``input-not-readable``.
        """
        root, steps = self._steps(path)
        try:
            descriptor = _opened_below(root, steps)
        except OSError as problem:
            raise _refused(path, problem) from problem
        try:
            status = os.fstat(descriptor)
            if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
                raise _no_file(path, status.st_mode)
            yield Place(path, descriptor, stat.S_ISDIR(status.st_mode), status.st_size)
        finally:
            os.close(descriptor)

    def _steps(self, path: str) -> tuple[str, tuple[str, ...]]:
        """The root that holds what ``path`` leads to, and the names from there."""
        if not path or len(path) > _MOST_CHARS or "\0" in path:
            raise SlowlinkError("this is no path", hint="give the path of a file or a directory", slug="path-unusable")
        try:
            real = os.path.realpath(os.path.join(self.directories[0], path))  # noqa: PTH118  (paths stay text)
            os.fsencode(real)
        except (OSError, ValueError) as problem:
            raise _refused(path, problem) from problem
        for root in self.directories:
            if real == root or real.startswith(root.rstrip("/") + "/"):
                return root, tuple(step for step in real[len(root) :].split("/") if step)
        raise SlowlinkError(
            f"{path} lies outside of the directories that may be read here",
            hint=f"these may: {', '.join(self.directories)}; the user can name others with --root",
            slug="path-outside",
        )


def _root(directory: str) -> str:
    try:
        real = str(Path(directory).resolve(strict=True))
        os.close(os.open(real, _STEP))
    except (OSError, RuntimeError, ValueError) as problem:
        raise SlowlinkError(
            f"cannot read below {directory}: {getattr(problem, 'strerror', None) or problem}",
            hint="name a directory that is there",
            slug="root-not-readable",
        ) from problem
    return real


def _opened_below(root: str, steps: Sequence[str]) -> int:
    """A descriptor of what the steps lead to. Raises OSError, also for what is neither a file nor a directory."""
    if not steps:
        return os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    above = os.open(root, _STEP)
    try:
        for step in steps[:-1]:
            below = os.open(step, _STEP, dir_fd=above)
            os.close(above)
            above = below
        # Looked at first: to open a device may do something.
        mode = os.stat(steps[-1], dir_fd=above, follow_symlinks=False).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise _no_file("/".join(steps), mode)
        return os.open(steps[-1], _LAST, dir_fd=above)
    finally:
        os.close(above)


def _no_file(path: str, mode: int) -> SlowlinkError:
    return SlowlinkError(
        f"{path} is {kind_of_file(mode)}, not read",
        hint="give a regular file or a directory",
        slug="input-not-readable",
    )


def _refused(path: str, problem: OSError | ValueError) -> SlowlinkError:
    if isinstance(problem, OSError) and problem.errno in (errno.ENOENT, errno.ENOTDIR):
        return SlowlinkError(f"no such file or directory: {path}", hint="check the path", slug="input-not-found")
    return SlowlinkError(
        f"cannot read {path}: {getattr(problem, 'strerror', None) or 'this is no path'}",
        hint="check the permissions of the file and of the directories above it",
        slug="input-not-readable",
    )
