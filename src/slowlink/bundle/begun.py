"""Which plans and records this user's slowlink wrote on this machine, and where: nothing else is gone on with.

What a plan says is run, and no bundle can prove who wrote it: files belong to whoever unpacks them. So a mark of each
plan lies in the user's state directory, where no archive reaches: the digest of the plan and of its bundle's place.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from slowlink.bundle.disk import put_whole

_MOST = 2000
"""Marks that are kept; the oldest go."""
_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def state_home(environment: Mapping[str, str]) -> Path:
    """Where programs keep what outlives them. Raises RuntimeError: no HOME, and no entry for this user."""
    state = environment.get("XDG_STATE_HOME", "")
    return Path(state) if state.startswith("/") else Path.home() / ".local" / "state"


def mark_begun(bundle: Path, plan: bytes) -> str:
    """Keep in mind that ``plan`` was written into ``bundle`` here. Gives why that cannot be; "" where it was."""
    try:
        marks = _marks()
        marks.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_foreign(marks, stat.S_ISDIR):
            return f"{marks} may be written to by others"
        put_whole(marks / _mark(bundle, plan), f"{os.path.realpath(bundle)}\n".encode("utf-8", "surrogateescape"))
        _forget_the_oldest(marks)
    except (OSError, RuntimeError) as error:
        return str(error)
    return ""


def marks_can_be_kept() -> bool:
    """Does this user have a place for marks? Without one nothing that was begun here has a mark."""
    try:
        marks = _marks()
        marks.mkdir(mode=0o700, parents=True, exist_ok=True)
        return not _is_foreign(marks, stat.S_ISDIR) and os.access(marks, os.W_OK)
    except (OSError, RuntimeError):
        return False


def was_begun_here(bundle: Path, plan: bytes) -> bool:
    """Did this user's slowlink write ``plan`` into ``bundle``, in this place on this machine?"""
    try:
        marks = _marks()
        return not _is_foreign(marks, stat.S_ISDIR) and not _is_foreign(marks / _mark(bundle, plan), stat.S_ISREG)
    except (OSError, RuntimeError):
        return False


def _marks() -> Path:
    return state_home(os.environ) / "slowlink" / "begun"


def _mark(bundle: Path, plan: bytes) -> str:
    place = os.fsencode(os.path.realpath(bundle))
    return hashlib.sha256(hashlib.sha256(place).digest() + hashlib.sha256(plan).digest()).hexdigest()


def _is_foreign(path: Path, is_kind: Callable[[int], bool]) -> bool:
    """Could somebody else have put this there, or is it a link? Raises OSError where it is not there."""
    status = path.lstat()
    return not is_kind(status.st_mode) or status.st_uid != os.geteuid() or bool(status.st_mode & _BY_OTHERS)


def _forget_the_oldest(marks: Path) -> None:
    with os.scandir(marks) as entries:
        found = [(entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in entries]
    for _, path in sorted(found)[: max(0, len(found) - _MOST)]:
        Path(path).unlink(missing_ok=True)
