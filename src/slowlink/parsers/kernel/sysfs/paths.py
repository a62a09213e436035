"""Kernel files as data: which path holds which attribute of which part."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from slowlink.model.state import Value

Convert = Callable[[str], Value | None]
"""The file's content to a value in the attribute's unit; None when it says nothing."""


class PathFact(Struct, frozen=True):
    """One family of files. A table of these is the constant ``PATHS`` of a module of this package."""

    pattern: str
    """Full match of the path below ``/``, with named groups: ``sys/class/infiniband/(?P<hca>[^/]+)/ports/...``."""
    attribute: str
    """Id in ``catalog/attributes``."""
    part: str
    """Name of the part, from the groups: ``{hca}/{port}``; its kind is the attribute's."""
    convert: Convert
    samples: Mapping[str, Value | None]
    """Lines ``path:content`` (or errors about the path) and the value that each gives: the table's own test."""
    kind: str = ""
    """Kind of the part, where it is not the attribute's (PCIe links of HCAs)."""
    absent: Value | None = None
    """The value when a program says that there is no such file; None where that says nothing."""


def compiled(fact: PathFact) -> re.Pattern[str]:
    """The pattern of a fact; ``re`` keeps compiled ones."""
    return re.compile(fact.pattern)
