"""Files of /sys and /proc as ``grep -H`` prints them: the path, a colon, the content.

Two files, and one that is not there::

    /sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE
    /proc/sys/kernel/numa_balancing:1
    ls: cannot access '/sys/module/nvidia_peermem': No such file or directory

People paste these, and our collectors print them, because no tool has to be there and no format changes. Each module
of this package holds a table ``PATHS`` of files and what they say; it is found by being here. What comes before
``/sys/`` or ``/proc/`` (a mount of the host's root in a container) is passed over. PCI addresses in a path hold colons.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import ClassVar

from slowlink.catalog.attributes import attribute
from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.parsers.kernel.sysfs.paths import PathFact, compiled
from slowlink.patterns import regex

_PCI = r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]|pci[0-9a-f]{4}:[0-9a-f]{2}"
"""What in a path holds colons; the first colon outside of these ends it."""
_FOLDER = regex(r"([\w-]+/[\w-]+/[\w-]+)(?:/|$)")
_LINE = regex(
    rf"\s{{0,40}}[\w.-]{{0,80}}(?:/[\w.-]{{1,120}}){{0,20}}?/(?P<path>(?:sys|proc)/(?:{_PCI}|[^\s:])+):(?P<content>.*)"
)
_MISSING = regex(
    r"(?:[\w./-]{1,60}: ){1,3}(?:cannot (?:access|open|stat) )?['\"‘]?"
    r"(?:/[\w.-]{1,120}){0,20}?/(?P<path>(?:sys|proc)/[^\s'’\"]{1,300}?)"
    r"['’\"]?(?: for reading)?: No such file or directory"
)
"""``ls``, ``cat`` and ``grep`` of GNU and of busybox."""


_REMEMBERED = 400
"""Characters of a line that is remembered as a whole."""


@cache
def path_facts() -> tuple[PathFact, ...]:
    """Every entry of every table, in order of modules."""
    modules = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__) if found.name != "paths")
    return tuple(fact for module in modules for fact in module.PATHS)


@cache
def _by_folder() -> dict[str, tuple[tuple[PathFact, re.Pattern[str]], ...]]:
    """Entries with their patterns by the first three names of the path; under "" those whose pattern varies there."""
    found: dict[str, list[tuple[PathFact, re.Pattern[str]]]] = {}
    for fact in path_facts():
        top = _FOLDER.match(fact.pattern)
        found.setdefault(top[1] if top else "", []).append((fact, compiled(fact)))
    return {folder: tuple(facts) for folder, facts in found.items()}


@lru_cache(maxsize=50_000)
def _entries_of(path: str) -> tuple[tuple[PathFact, Part], ...]:
    """The entries that know ``path``, with the part that it is of. Remembered: the nodes of a cluster have one set of
    paths."""
    tables = _by_folder()
    candidates = (*tables.get("/".join(path.split("/", 3)[:3]), ()), *tables.get("", ()))
    found = ((fact, pattern.fullmatch(path)) for fact, pattern in candidates)
    return tuple(
        (fact, Part(fact.kind or attribute(fact.attribute).part, fact.part.format(**match.groupdict())))
        for fact, match in found
        if match is not None
    )


def file_readings(path: str, content: str | None, line: Line) -> Iterator[Reading]:
    """What the tables say of the file ``path`` (below ``/``) with this content; None: there is no such file."""
    said = _said if len(content or "") <= _REMEMBERED else _said.__wrapped__
    return (reading(attribute, part, value, line) for attribute, part, value in said(path, content))


@lru_cache(1 << 14)
def _said(path: str, content: str | None) -> tuple[tuple[str, Part, Value], ...]:
    """Attributes, parts and values: most files of a node say what those of its peers do."""
    each = (
        (fact.attribute, part, fact.absent if content is None else fact.convert(content.strip()))
        for fact, part in _entries_of(path)
    )
    return tuple((attribute, part, value) for attribute, part, value in each if value is not None)


@lru_cache(1 << 14)
def _file_in(text: str) -> tuple[str, str | None] | None:
    """Path and content of the file that a line shows; no content where there is no such file, None for other lines."""
    match = _MISSING.match(text) or _LINE.match(text)
    return (match["path"], match.groupdict().get("content")) if match is not None else None


class Sysfs:
    """Readings of kernel files whose path and content are on one line, and of files that are not there."""

    kind: ClassVar[str] = "sysfs"
    literals: ClassVar[Literals] = Literals(("/sys/", "/proc/"))
    each_alone: ClassVar[bool] = True

    def __init__(self) -> None:
        self._found: list[Reading] = []

    @staticmethod
    def wants(text: str) -> bool:
        return ("/sys/" in text or "/proc/" in text) and (_LINE.match(text) or _MISSING.match(text)) is not None

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        file = (_file_in if len(line.text) <= _REMEMBERED else _file_in.__wrapped__)(line.text)
        if file is None:
            return Use.NOT_MINE
        said = list(file_readings(*file, line))
        if MAX_READINGS.has_room(len(self._found)):
            self._found.extend(said)
        return Use.USED if said else Use.IGNORED

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = Sysfs
