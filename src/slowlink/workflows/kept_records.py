"""Records of what was changed, on disk: written before anything is touched, replaced as a whole, and taken again only
where nobody but their user can have written them. What goes by such a record acts with its caller's rights."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from msgspec import Struct

from slowlink.bundle.begun import mark_begun, marks_can_be_kept, state_home, was_begun_here
from slowlink.bundle.disk import put_whole
from slowlink.errors import SlowlinkError

MOST_BYTES = 16 << 20
"""Some 50,000 nodes. To read as many bytes of a stranger's takes half a gigabyte."""
_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


class Kind(Struct, frozen=True):
    """Records of one command."""

    command: str
    """``slowlink prepare``."""
    word: str
    """Of the folder and of the files: ``prepared``."""

    def directory_of(self, given: str | None, environment: Mapping[str, str]) -> Path:
        """Where records lie: as given, or the user's state directory. Raises SlowlinkError (``no-home``)."""
        if given is not None:
            return Path(given).absolute()
        try:
            return state_home(environment) / "slowlink" / self.word
        except RuntimeError as error:  # no HOME, and no entry for this user: a container with a user of its own
            raise SlowlinkError(
                "this user has no home directory, so there is no place for records",
                hint="-o names a directory",
                slug="no-home",
            ) from error

    def path_of(self, directory: Path, created: str) -> Path:
        """Where a new record goes. Its number is higher than all that are there, so the order is that of the records
        also where the clock was set back. Call it in the record's turn."""
        last = max((self._order(path)[0] for path in self.records_in(directory)), default=0)
        return directory / f"{self.word}-{last + 1:04d}-{re.sub(r'[-:.]', '', created)}.json"

    def records_in(self, directory: Path) -> list[Path]:
        """Records, the latest last. Raises OSError where the directory cannot be read."""
        try:
            return sorted((path for path in directory.iterdir() if self._is_one(path)), key=self._order)
        except (FileNotFoundError, NotADirectoryError):
            return []

    def latest(self, directory: Path) -> Path:
        """The latest record. Raises SlowlinkError: ``no-record``, ``input-not-found``."""
        try:
            found = self.records_in(directory)
        except OSError as error:
            raise SlowlinkError(
                f"cannot look for records in {directory}: {error.strerror}",
                hint="check the path",
                slug="input-not-found",
            ) from error
        if not found:
            raise SlowlinkError(
                f"there is no record in {directory}",
                hint="--rollback RECORD names one; -o names another directory",
                slug="no-record",
            )
        return found[-1]

    def _name(self, path: Path) -> re.Match[str] | None:
        pattern = rf"{re.escape(self.word)}-(?:(?P<number>[0-9]{{1,9}})-)?(?P<stamp>[0-9]{{4,9}}T[0-9]{{1,18}}Z)\.json"
        return re.fullmatch(pattern, path.name)

    def _is_one(self, path: Path) -> bool:
        return self._name(path) is not None

    def _order(self, path: Path) -> tuple[int, str]:
        """A record without a number is one of a slowlink that went by the clock alone: older than all with one."""
        match = self._name(path)
        return (int(match["number"] or 0), match["stamp"]) if match is not None else (0, "")

    def require_written_here(self, path: Path, created: str) -> None:
        """A record that was unpacked belongs to whoever unpacked it: outside of the state directory, where no archive
        reaches, it must be one that this user's slowlink wrote in this place. Where marks of that cannot be kept,
        nobody can tell.

        Raises SlowlinkError (``foreign-record``).
        """
        if not marks_can_be_kept() or was_begun_here(path, created.encode()):
            return
        own = self.directory_of(None, os.environ)
        if Path(os.path.realpath(own)) in Path(os.path.realpath(path)).parents:
            return
        raise SlowlinkError(
            f"{path} was not written in this place by your slowlink on this machine",
            hint=f"nothing was touched; if you know that it is yours, copy it to {own} and name it there",
            slug="foreign-record",
        )


def write_whole(path: Path, text: bytes, created: str) -> None:
    """Replaces the file as a whole; it is on the disk afterwards. Raises SlowlinkError: ``record-unwritable``.

    The mark goes first: slowlink may be killed in between, and a record without a mark would not be taken for ours.
    """
    if len(text) > MOST_BYTES:
        raise SlowlinkError(
            f"the record of so many nodes would hold more than {MOST_BYTES >> 20} MiB",
            hint="take them in several parts",
            slug="record-unwritable",
        )
    try:
        if not was_begun_here(path, created.encode()):
            mark_begun(path, created.encode())
        put_whole(path, text)
        _sync(path.parent)
    except OSError as error:
        raise SlowlinkError(
            f"cannot write the record {path}: {error.strerror}",
            hint="without a record nothing is changed; -o names another directory",
            slug="record-unwritable",
        ) from error


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Turn:
    """One slowlink at a time works with the records of a directory; the kernel ends its turn with it."""

    def __init__(self, kind: Kind, directory: Path, *, make: bool = False) -> None:
        self._kind, self._directory, self._make = kind, directory, make
        self._descriptor = -1

    def __enter__(self) -> Turn:
        try:
            if self._make:
                self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._descriptor = os.open(self._directory, os.O_RDONLY)
        except OSError as error:
            if not self._make:
                return self  # the record itself cannot be read, either, and that says more
            raise SlowlinkError(
                f"cannot use {self._directory} for records: {error.strerror}",
                hint="-o names another directory",
                slug="record-unwritable",
            ) from error
        self._lock()
        if self._make and (why := _foreign_folder(os.fstat(self._descriptor))):
            os.close(self._descriptor)
            raise SlowlinkError(
                f"{self._directory} {why}: no record in it would be taken for a rollback",
                hint="nothing was changed; -o names a directory of your own (chmod 700)",
                slug="record-unwritable",
            )
        return self

    def _lock(self) -> None:
        import fcntl

        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._descriptor)
            if isinstance(error, BlockingIOError):
                why, hint = f"another {self._kind.command} is at work with {self._directory}", "wait for its end"
                raise SlowlinkError(why, hint=hint, slug="busy") from error
            raise SlowlinkError(  # some file systems of the network have no locks
                f"cannot lock {self._directory}, so another {self._kind.command} may be at work: {error.strerror}",
                hint=f"keep records on a local file system, such as {self._kind.directory_of(None, os.environ)}",
                slug="record-unlocked",
            ) from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)


def own_text(path: Path) -> bytes:
    """What stands in a record that only its caller can have put there. Raises SlowlinkError: ``input-not-found``,
    ``foreign-record`` (somebody else wrote it, or could have)."""
    try:
        return _read(path)
    except OSError as error:
        raise SlowlinkError(
            f"cannot read the record {path}: {error.strerror}", hint="check the path", slug="input-not-found"
        ) from error


def _read(path: Path) -> bytes:
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if why := _foreign_folder(os.fstat(folder)):
            raise _not_ours(path, f"{path.parent} {why}")
        descriptor = os.open(path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)
    with os.fdopen(descriptor, "rb") as file:
        if why := _foreign_file(os.fstat(descriptor)):
            raise _not_ours(path, why)
        return file.read(MOST_BYTES)


def _foreign_file(status: os.stat_result) -> str:
    """Why somebody else may have written this file; "" where nobody can."""
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    if status.st_uid != os.geteuid():
        return f"it belongs to user {status.st_uid}, and you are user {os.geteuid()}"
    return "others may write to it" if status.st_mode & _BY_OTHERS else ""


def _foreign_folder(status: os.stat_result) -> str:
    """Why somebody else may have put an old record in the place of a newer one; "" where nobody can."""
    if status.st_uid not in (os.geteuid(), 0):
        return f"belongs to user {status.st_uid}, and you are user {os.geteuid()}"
    open_to_others = status.st_mode & _BY_OTHERS and not status.st_mode & stat.S_ISVTX
    return "may be written to by others" if open_to_others else ""


def _not_ours(path: Path, why: str) -> SlowlinkError:
    """A rollback acts as its caller, on nodes that the record names: only its caller may have written it."""
    return SlowlinkError(
        f"{path} is not taken for a record: {why}",
        hint="nothing was touched; a rollback goes by a record of its own user, where nobody else may write",
        slug="foreign-record",
    )
