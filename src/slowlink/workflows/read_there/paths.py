"""What a path with wildcards stands for on this node. No shell sees it, and a folder that may not be read is named."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase

from msgspec import Struct, field

MOST_FILES = 20_000
"""That one path may stand for."""
_MAGIC = re.compile(r"[*?\[]")
ABSENT = "no such file there: check the path, or leave the node out"
DENIED = "may not be read there: log in as a user who may"
TOO_MANY = f"stands for more than {MOST_FILES:,} files; the others were not read"


class Matches(Struct):
    """What was found, in order of names, and what not, with the reason."""

    found: list[str] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)


def has_wildcard(text: str) -> bool:
    """Does it stand for other names?"""
    return _MAGIC.search(text) is not None


def matches_of(path: str) -> Matches:
    """A name that is there stands for itself, wildcards and all. ``*`` ``?`` ``[...]`` are of one folder, as in shells,
    and stand for no hidden name."""
    result = Matches()
    if os.path.lexists(path) or not has_wildcard(path):
        _look(path, result)
    else:
        heads = ["/" if path.startswith("/") else ""]
        parts = [part for part in path.split("/") if part]
        for part in parts:
            heads = [found for head in heads for found in _below(head, part, result)]
            if len(heads) > MOST_FILES:
                heads = heads[:MOST_FILES]
                result.missing.append((path, TOO_MANY))
        for head in heads:
            _look(head, result, is_sure=has_wildcard(parts[-1]))
    if not result.found and not result.missing:
        result.missing.append((path, ABSENT))
    return result


def _below(head: str, part: str, result: Matches) -> list[str]:
    if not has_wildcard(part):
        return [os.path.join(head, part)]  # noqa: PTH118  (keeps the user's own spelling)
    try:
        names = os.listdir(head or ".")  # noqa: PTH208
    except PermissionError:
        result.missing.append((head, DENIED))
        return []
    except OSError:
        return []
    found = (name for name in names if fnmatchcase(name, part) and (part.startswith(".") or not name.startswith(".")))
    return [os.path.join(head, name) for name in sorted(found)]  # noqa: PTH118


def _look(path: str, result: Matches, *, is_sure: bool = False) -> None:
    """Take ``path`` where it is there; not ``is_sure``: behind a wildcard most folders need not hold it."""
    try:
        os.lstat(path)
    except PermissionError:
        result.missing.append((path, DENIED))
    except OSError:
        if is_sure:
            result.missing.append((path, ABSENT))
    else:
        result.found.append(path)
