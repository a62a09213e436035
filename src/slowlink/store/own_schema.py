"""A file of SQLite may be another's, and its schema is a program: views and triggers run when a table of their name is
read or written. The tables of a history are plain."""

from __future__ import annotations

import sqlite3

from slowlink.patterns import regex
from slowlink.store.checked import DamagedError

_MOST_ENTRIES = 1000
_LONGEST = 1 << 16
_COMPUTED = regex(r"(?i)\bVIRTUAL\b|\bGENERATED\b|\bAS\s{0,20}\(")
"""In the words that made a table: columns that are computed when they are read, or a module that answers for it."""
_STEPS = 1_000_000


def refuse_programs(connection: sqlite3.Connection) -> None:
    """Raises DamagedError for a schema with anything but plain tables and indexes."""
    asked = "SELECT type, substr(name, 1, 40), substr(sql, 1, ?) FROM sqlite_master LIMIT ?"
    for number, (kind, name, words) in enumerate(connection.execute(asked, (_LONGEST, _MOST_ENTRIES)), 1):
        text = str(words or "")  # an index that SQLite made by itself has none
        computed = kind == "table" and (len(text) == _LONGEST or _COMPUTED.search(text) is not None)
        if kind not in ("table", "index") or computed or number == _MOST_ENTRIES:
            what = kind if kind in ("view", "trigger") else "entry of its schema that computes"
            raise DamagedError(f"it has a {what} ({name!a}), as no history has")


def let_signals_in(connection: sqlite3.Connection) -> None:
    """SQLite works in C, where a signal's handler of Python never gets its turn; now it does, some times a second."""
    connection.set_progress_handler(lambda: 0, _STEPS)
