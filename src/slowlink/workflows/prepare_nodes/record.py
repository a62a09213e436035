"""The record on disk: written before a node is touched, replaced as a whole after every answer, checked when read."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import Any, get_args

from msgspec import to_builtins

from slowlink import __version__
from slowlink.bundle.begun import mark_begun, marks_can_be_kept, state_home, was_begun_here
from slowlink.bundle.disk import put_whole
from slowlink.errors import SlowlinkError
from slowlink.model.plan import Node
from slowlink.model.prepared import Item, ItemState, Prepared, PreparedNode
from slowlink.settings.find import settings

SCHEMA = "slowlink.prepared/1"
_MOST_BYTES = 16 << 20
"""Some 50,000 nodes. To read as many bytes of a stranger's takes half a gigabyte."""
_FILE = re.compile(r"prepared-(?:(?P<number>[0-9]{1,9})-)?(?P<stamp>[0-9]{4,9}T[0-9]{1,18}Z)\.json")
_HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:%-]{0,254}")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@\\-]{0,127}")
_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_WAYS = ("local", "ssh", "slurm")


def directory_of(given: str | None, environment: Mapping[str, str]) -> Path:
    """Where records lie: as given, or the user's state directory. Raises SlowlinkError (``no-home``)."""
    if given is not None:
        return Path(given).absolute()
    try:
        return state_home(environment) / "slowlink" / "prepared"
    except RuntimeError as error:  # no HOME, and no entry for this user: a container with a user of its own
        raise SlowlinkError(
            "this user has no home directory, so there is no place for records",
            hint="-o names a directory",
            slug="no-home",
        ) from error


def new_record(way: str, root: str, nodes: Sequence[PreparedNode], now: datetime | None = None) -> Prepared:
    """A record of what is planned."""
    created = (now or datetime.now(timezone.utc)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return Prepared(SCHEMA, __version__, created, way, root, tuple(nodes))


def path_of(directory: Path, record: Prepared) -> Path:
    """Where a new record goes. Its number is higher than all that are there, so the order is that of the records also
    where the clock was set back. Call it in the record's turn."""
    last = max((_order(path)[0] for path in records_in(directory)), default=0)
    return directory / f"prepared-{last + 1:04d}-{re.sub(r'[-:.]', '', record.created)}.json"


def records_in(directory: Path) -> list[Path]:
    """Records, the latest last. Raises OSError where the directory cannot be read."""
    try:
        return sorted((path for path in directory.iterdir() if _FILE.fullmatch(path.name)), key=_order)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _order(path: Path) -> tuple[int, str]:
    """A record without a number is one of a slowlink that went by the clock alone: older than all with one."""
    match = _FILE.fullmatch(path.name)
    return (int(match["number"] or 0), match["stamp"]) if match is not None else (0, "")


def write(record: Prepared, path: Path) -> None:
    """Replaces the file as a whole; it is on the disk afterwards. Raises SlowlinkError: ``record-unwritable``.

    The mark goes first: slowlink may be killed in between, and a record without a mark would not be taken for ours.
    """
    text = f"{json.dumps(to_builtins(record), indent=1)}\n".encode()
    if len(text) > _MOST_BYTES:
        raise SlowlinkError(
            f"the record of {len(record.nodes)} nodes would hold more than {_MOST_BYTES >> 20} MiB",
            hint="prepare them in several parts",
            slug="record-unwritable",
        )
    try:
        mark_begun(path, record.created.encode())
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

    def __init__(self, directory: Path, *, make: bool = False) -> None:
        self._directory, self._make = directory, make
        self._descriptor = -1

    def __enter__(self) -> Turn:
        import fcntl

        try:
            if self._make:
                self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._descriptor = os.open(self._directory, os.O_RDONLY)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SlowlinkError(
                f"another slowlink prepare is at work with {self._directory}", hint="wait for its end", slug="busy"
            ) from error
        except OSError as error:
            if not self._make:
                return self  # the record itself cannot be read, either, and that says more
            raise SlowlinkError(
                f"cannot use {self._directory} for records: {error.strerror}",
                hint="-o names another directory",
                slug="record-unwritable",
            ) from error
        if self._make and (why := _foreign_folder(os.fstat(self._descriptor))):
            os.close(self._descriptor)
            raise SlowlinkError(
                f"{self._directory} {why}: no record in it would be taken for a rollback",
                hint="nothing was changed; -o names a directory of your own (chmod 700)",
                slug="record-unwritable",
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)


def read(path: Path) -> Prepared:
    """A record, every value of it checked. Raises SlowlinkError: ``input-not-found``, ``foreign-record`` (somebody else
    wrote it, or could have), ``bad-record``."""
    try:
        text = _text_of(path)
    except OSError as error:
        raise SlowlinkError(
            f"cannot read the record {path}: {error.strerror}", hint="check the path", slug="input-not-found"
        ) from error
    try:
        document = json.loads(text)
        if isinstance(document, dict) and document.get("schema") != SCHEMA:
            raise ValueError(f"its schema is {str(document.get('schema'))[:60]!r}, not {SCHEMA!r}")
        return _record(document)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise SlowlinkError(
            f"{path} is no record of slowlink prepare: {str(error)[:200]}",
            hint="nothing was touched; the record must be as slowlink wrote it",
            slug="bad-record",
        ) from error


def require_written_here(path: Path, record: Prepared) -> None:
    """A record that was unpacked belongs to whoever unpacked it: outside of the state directory, where no archive
    reaches, it must be one that this user's slowlink wrote in this place. Where marks of that cannot be kept, nobody
    can tell.

    Raises SlowlinkError (``foreign-record``).
    """
    if not marks_can_be_kept() or was_begun_here(path, record.created.encode()):
        return
    own = directory_of(None, os.environ)
    if Path(os.path.realpath(own)) in Path(os.path.realpath(path)).parents:
        return
    raise SlowlinkError(
        f"{path} was not written in this place by your slowlink on this machine",
        hint=f"nothing was touched; if you know that it is yours, copy it to {own} and name it there",
        slug="foreign-record",
    )


def _text_of(path: Path) -> bytes:
    """What stands in a record that only its caller can have put there. Raises SlowlinkError and OSError."""
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
        return file.read(_MOST_BYTES)


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


def _record(document: dict[str, Any]) -> Prepared:
    way, root = document["way"], document["root"]
    if way not in _WAYS or not isinstance(root, str) or (root and not root.startswith("/")) or not root.isprintable():
        raise ValueError("way or root")
    created, version = document["created"], document["slowlink"]
    if not all(isinstance(each, str) and each.isascii() and each.isprintable() for each in (created, version)):
        raise ValueError("created or slowlink")
    nodes = tuple(_node(each) for each in document["nodes"])
    if len({each.node.name for each in nodes}) < len(nodes):
        raise ValueError("a node stands in it twice")
    return Prepared(SCHEMA, version, created, way, root, nodes)


def _node(document: dict[str, Any]) -> PreparedNode:
    node = Node(**document["node"])
    named = all(_HOST.fullmatch(each) for each in (node.name, node.address or node.name))
    if not named or (node.user is not None and not _USER.fullmatch(node.user)):
        raise ValueError(f"no node: {node.name!r}"[:80])
    if not (node.port is None or (type(node.port) is int and 0 < node.port < 65536)):
        raise ValueError("no port")
    until, boot = document["until_s"], document["boot"]
    if not isinstance(boot, str) or not (until is None or isinstance(until, int)):
        raise ValueError("no clock")
    return PreparedNode(node, boot, tuple(_item(each) for each in document["items"]), until)


def _item(document: dict[str, Any]) -> Item:
    item = Item(**document)
    setting = settings().get(item.setting)
    if setting is None:
        raise ValueError(f"there is no setting {item.setting!r}"[:80])
    values = [item.before, item.wanted, *([] if item.left is None else [item.left])]
    if not re.fullmatch(setting.parts, item.part) or not all(re.fullmatch(setting.values, each) for each in values):
        raise ValueError(f"no value of {item.setting}: {item.part!r} {values!r}"[:160])
    if item.state not in get_args(ItemState) or not isinstance(item.why, str):
        raise ValueError(f"no state: {item.state!r}"[:80])
    return item
