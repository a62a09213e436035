"""Where the history lies: a file of SQLite or a URL of PostgreSQL, and what may go wrong there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from slowlink.errors import SlowlinkError

OFF = "off"
VARIABLE = "SLOWLINK_HISTORY"
_POSTGRESQL = ("postgresql://", "postgres://", "postgresql+psycopg://")
_SHARED = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "lustre", "gpfs", "beegfs", "ceph", "wekafs", "panfs", "9p", "afs", "orangefs"}
)
"""File systems that other machines write to as well."""


def chosen_place(asked: str | None, setting: str | None, environment: Mapping[str, str]) -> str:
    """The option, the variable, the site's setting, or the user's own data directory; ``off`` for none.

    Raises SlowlinkError: ``history-place`` where there is no home, or a URL names another kind of database;
    ``history-extra`` where its libraries are not installed: before anything imports them.
    """
    place = asked or environment.get(VARIABLE) or setting or str(default_file(environment))
    if place == OFF:
        return OFF
    if "://" in place and not is_postgresql(place):
        raise SlowlinkError(
            "the history is a file of SQLite or a URL of PostgreSQL",
            hint="a path, or postgresql://user@host/database",
            slug="history-place",
        )
    _require_libraries(place)
    return place


def _require_libraries(place: str) -> None:
    extra = "postgresql" if is_postgresql(place) else "history"
    for name in ("sqlalchemy", "alembic", *(("psycopg",) if extra == "postgresql" else ())):
        if find_spec(name) is None:
            raise SlowlinkError(
                f"the history needs {name}, which is not installed here",
                hint=f"pip install 'slowlink[{extra}]'",
                slug="history-extra",
            )


def default_file(environment: Mapping[str, str]) -> Path:
    """``$XDG_DATA_HOME/slowlink/history.sqlite``; a relative one does not count (XDG Base Directory Specification)."""
    data = environment.get("XDG_DATA_HOME", "")
    if data.startswith("/"):
        return Path(data, "slowlink", "history.sqlite")
    try:
        return Path.home() / ".local" / "share" / "slowlink" / "history.sqlite"
    except RuntimeError as error:
        raise SlowlinkError(
            "there is no home directory for the history", hint=f"set {VARIABLE} to a file", slug="history-place"
        ) from error


def is_postgresql(place: str) -> bool:
    """Is this the URL of a server?"""
    return place.startswith(_POSTGRESQL)


def is_shared_disk(path: Path, mounts: str) -> bool:
    """Do other machines write to the disk of ``path``? ``mounts`` is the text of ``/proc/self/mounts``.

    There SQLite's write-ahead log would be damaged: it needs memory that all writers share.
    """
    place, best, kind = os.path.realpath(path), "", ""
    for line in mounts.splitlines():
        words = line.split()
        if len(words) > 2 and len(words[1]) >= len(best) and _is_below(place, words[1]):
            best, kind = words[1], words[2]
    return kind in _SHARED or kind.startswith("fuse.")


def _is_below(place: str, mount: str) -> bool:
    return place == mount or place.startswith(mount.rstrip("/") + "/")
