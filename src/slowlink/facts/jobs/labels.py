"""What a job of a heap is called: its number, its hosts and its files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from slowlink.model.report import JobKind
from slowlink.nodes import fold

_LONGEST = 60
_MOST_FILES = 2


def label_of(kind: JobKind, ids: Iterable[str], hosts: Sequence[str], files: Sequence[str]) -> str:
    """``job 4711 on node[06-07], a/job.log``; ``state of node12, which no job names, dmesg.txt``."""
    words = " ".join(["job", *sorted(ids)])
    if kind == "state":
        words = f"state of {_folded(hosts) if hosts else 'nodes'}, which no job names"
    elif kind == "other":
        words = "inputs of no job"
    elif hosts:
        words += f" on {_folded(hosts)}"
    return ", ".join([words, *([_listed(files)] if files else [])])


def _folded(hosts: Sequence[str]) -> str:
    text = fold(hosts)
    return text if len(text) <= _LONGEST else f"{len(hosts)} nodes"


def _listed(files: Sequence[str]) -> str:
    if len(files) <= _MOST_FILES:
        return " and ".join(files)
    folder = shared_folder(files)
    return f"{len(files)} files in {folder}" if folder else f"{files[0]} and {len(files) - 1} more files"


def shared_folder(paths: Sequence[str]) -> str:
    """The folder, with its slash, or the archive, with its ``!``, that all paths lie in; "" where none is."""
    first, last = min(paths, default=""), max(paths, default="")
    alike = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[: max(first.rfind("/", 0, alike), first.rfind("!", 0, alike)) + 1]
