"""Edges that machine code keeps (``native/src/table.rs``): those of lines that the sieve took apart never become
objects of Python. Says the same as ``EdgeRows``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slowlink.model.edges import EdgeColumns, EdgeKind
from slowlink.model.source import LogProcess
from slowlink.parsers.nccl.nccl_log.channels import EdgeValues, kind_of
from slowlink.parsers.nccl.nccl_log.edge_rows import MOST_EDGES, TEXT_LIMIT, OfOwner, RowsState, texts_of

_BEHIND_PREFIX = " NCCL INFO Channel "
"""The words between a prefix and the number of a channel; machine code has the same."""
_QUIET = -1


class NativeRows:
    """As ``EdgeRows``, around a table of machine code."""

    def __init__(self, native: Any) -> None:
        self.table = native.EdgeTable(MOST_EDGES)
        self._kinds: dict[EdgeKind, int] = {}

    @property
    def is_full(self) -> bool:
        return bool(self.table.is_full)

    @property
    def lines(self) -> int:
        return int(self.table.lines)

    @property
    def owners(self) -> int:
        return int(self.table.admitted)

    def owners_since(self, known: int) -> list[str]:
        return list(self.table.admitted_since(known))

    def of_owners(self) -> list[OfOwner]:
        return [OfOwner(*each) for each in self.table.told_of_owners()]

    def again(self, row: int) -> None:
        self.table.again(row)

    def add(self, owner: str, values: EdgeValues, line: int, text: str) -> int | None:
        src, dst, kind, after = values
        before, number, after = texts_of(values, text)
        known = None if number is not None and before == owner + _BEHIND_PREFIX else before
        row: int | None = self.table.add(owner, (src, dst), self._kind(kind), known, number, after, line)
        return row

    def _kind(self, kind: EdgeKind) -> int:
        return self._kinds.setdefault(kind, len(self._kinds))

    def name_kinds(self) -> None:
        """Say what the kinds are that the sieve has found since."""
        self.table.set_kinds([self._named(each) for each in self.table.new_kinds()])

    def _named(self, found: str | tuple[Any, ...]) -> tuple[int, str]:
        if isinstance(found, str):
            return _QUIET, ""
        kind = kind_of(*found)
        if kind is None:
            raise ValueError(found)  # the sieve takes only what is known
        side = f" [{kind.side}]" if kind.side else ""
        return self._kind(kind), f"{side} via {found[-1]}"[:TEXT_LIMIT]

    def state(self) -> RowsState:
        owners, firsts, texts, columns = self.table.state()
        return RowsState(owners, firsts, tuple(self._kinds), texts, tuple(columns))

    def merge(self, other: RowsState, most_owners: int) -> None:
        kinds = [self._kind(kind) for kind in other.kinds]
        self.table.merge(other.owners, other.firsts, other.texts, list(other.columns), kinds, most_owners)

    def forget_known(self) -> None:
        self.table.forget_known()

    def result(self, processes: Sequence[LogProcess], source: str) -> EdgeColumns:
        if not len(self.table):
            return EdgeColumns(source)
        names = {process: number for number, process in enumerate(dict.fromkeys(processes))}
        columns, who, kinds, texts = self.table.packed([names[process] for process in processes])
        known, every = tuple(self._kinds), tuple(names)
        named = tuple(every[place] for place in who), tuple(known[place] for place in kinds)
        return EdgeColumns(source, *named, tuple(texts), *columns)
