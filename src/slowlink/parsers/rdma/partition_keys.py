"""Partition keys of a port in one line, as loops over HCAs print them::

    mlx5_0 0x7fff 0x8103
    mlx5_1/1: 0xffff 0x8103

The name of an HCA, perhaps its port, and nothing but keys. One of them must be that of the default partition (0x7fff or
0xffff), which every subnet manager gives; else the numbers may be anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.parsers.forms.rdma_values import RDMA_SHAPE, RDMA_STARTS
from slowlink.patterns import regex

_KEYS = regex(
    rf"\s{{0,8}}(?P<hca>{RDMA_SHAPE})(?:[/: ](?P<port>\d))?:?"
    r"(?P<keys>(?:\s{1,8}0x[0-9a-fA-F]{4}){1,128})\s{0,4}"
)
_DEFAULT = frozenset(("0x7fff", "0xffff"))
_UNUSED = "0x0000"


class PartitionKeys:
    """Each line is read by itself."""

    kind: ClassVar[str] = "partition-keys"
    literals: ClassVar[Literals] = Literals(tuple(f"\n{start}" for start in RDMA_STARTS))

    def __init__(self) -> None:
        self._found: list[Reading] = []

    @staticmethod
    def wants(text: str) -> bool:
        found = _KEYS.fullmatch(text) if " 0x" in text else None
        return found is not None and not _DEFAULT.isdisjoint(found["keys"].lower().split())

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        found = _KEYS.fullmatch(line.text)
        keys = found["keys"].lower().split() if found is not None else []
        if found is None or _DEFAULT.isdisjoint(keys):
            return Use.NOT_MINE
        for index, key in enumerate(keys):
            if key != _UNUSED and MAX_READINGS.has_room(len(self._found)):
                part = Part("pkey", f"{found['hca']}/{found['port'] or 1}/{index}")
                self._found.append(reading("pkey-value", part, key, line))
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found


PARSER = PartitionKeys
