"""What a name of the evidence means: a node of the contract, a file that was given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


class NodeNames:
    """The nodes of the contract under the names that the evidence has for them. ``gpu01.site.example`` is ``gpu01``
    where one node alone can be meant; in doubt nobody is."""

    def __init__(self, expected: Sequence[str], seen: Iterable[str]) -> None:
        exact = frozenset(expected)
        others = [name for name in dict.fromkeys(seen) if name not in exact]
        by_short = _by_short(others)
        full = _by_short([name for name in expected if "." in name])
        self._meant: dict[str, str] = {name: name for name in expected}
        for name in others:
            short = _short(name)
            if "." in name and short in exact and len(by_short[short]) == 1:
                self._meant[name] = short
            elif "." not in name and len(full.get(name, ())) == 1:
                self._meant[name] = full[name][0]
        self.beside = tuple(name for name in others if name not in self._meant)
        """Names of the evidence that no node of the contract has."""

    def meant(self, host: str | None) -> str | None:
        return self._meant.get(host) if host else None


def _short(name: str) -> str:
    return name.partition(".")[0]


def _by_short(names: Iterable[str]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(_short(name), []).append(name)
    return found


class FileNames:
    """Paths without the folders above what was given, so that evidence which lies elsewhere has the same names."""

    def __init__(self, given: Sequence[str]) -> None:
        self._known: frozenset[str] = frozenset()
        self._of: dict[str, str] = {}
        names = [Path(path).resolve().name for path in given]
        for path, name in zip(given, names, strict=True):
            self._of[path.rstrip("/") or path] = name if names.count(name) == 1 else path.strip("/")

    def top(self, given: str) -> str:
        """Of a path that was given."""
        return self._of[given.rstrip("/") or given]

    def know(self, paths: Iterable[str]) -> None:
        """The files that lie there. A bundle in a folder is read as an archive is (``!``), and its files are files."""
        self._known = frozenset(paths)

    def short(self, source: str) -> str:
        """Of a file below one of those."""
        name = self._below(source)
        as_file = name.replace("!", "/", 1)
        return as_file if as_file in self._known else name

    def _below(self, source: str) -> str:
        for path, name in self._of.items():
            rest = source.removeprefix(path)
            if source.startswith(path) and rest[:1] in ("", "/", "!"):
                return name + rest
        here = self._of.get(".")
        return source if here is None else f"{here}/{source.removeprefix('./')}"

    def place(self, source: str, line: int) -> str:
        """``path:line``; the path alone where there are no lines."""
        return f"{self.short(source)}:{line}" if line else self.short(source)
