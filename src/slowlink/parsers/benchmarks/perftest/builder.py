"""One perftest run while it is read."""

from __future__ import annotations

from msgspec import Struct, field

from slowlink.model.benchmark import PerftestRow, PerftestRun
from slowlink.model.source import Line, Ref
from slowlink.parsers.benchmarks.perftest.ends import Ends
from slowlink.parsers.benchmarks.perftest.header import memory_of
from slowlink.parsers.benchmarks.perftest.table import Columns, integer, read_row
from slowlink.parsers.forms.limit import Limit
from slowlink.patterns import regex

MAX_ROWS = Limit(100_000, "rows of one run")
"""Rows kept of one run (``--run_infinitely`` has no end)."""

_LEADING_NUMBER = regex(r"\d{1,9}")


class RunBuilder(Struct):
    """Collects what the lines of one run say and makes a ``PerftestRun`` of it."""

    first: Ref
    stream: str
    gpu: tuple[str, int | None] | None
    host: str | None = None
    test: str = ""
    sides: int = 1
    pairs: dict[str, str] = field(default_factory=dict)
    columns: Columns | None = None
    rows: list[PerftestRow] = field(default_factory=list)
    errors: list[Ref] = field(default_factory=list)
    local_addresses: int = 0
    """``local address`` lines above the table, over all sides."""
    ends: Ends = field(default_factory=Ends)
    """What stands above the table."""
    ruled: bool = False
    """A ruler was seen below the table header."""

    @property
    def worth_keeping(self) -> bool:
        """A title alone may be a heading in prose."""
        return bool(self.columns or self.errors or len(self.pairs) > 1)

    def row(self, line: Line) -> bool:
        """Take a line of numbers as a row of the open table."""
        if self.columns is None or (self.ruled and self.rows and self.sides <= 1):
            return False
        row = read_row(line.text.split(), self.columns, line.ref())
        if row is None:
            return False
        if not self._from_the_other_side(row) and MAX_ROWS.has_room(len(self.rows)):
            self.rows.append(row)
        return True

    def _from_the_other_side(self, row: PerftestRow) -> bool:
        """Both sides print the same result: the second copy is no second measurement."""
        return self.sides > 1 and any(_same(row, known) for known in self.rows[-2:])

    def build(self) -> PerftestRun:
        kind, gpu = self.gpu or ("", None)
        unit = self.columns.unit if self.columns else ""
        parameters = dict(self.pairs)
        if self.sides > 1:
            parameters["sides"] = str(self.sides)
        return PerftestRun(
            source=self.first.source,
            stream=self.stream,
            header=self.first,
            test=self.test,
            kind=self._kind(),
            printed_unit=unit,
            device=self.pairs.get("Device") or None,
            gpu_memory=self._memory(kind),
            gpu=gpu,
            link_type=self.pairs.get("Link type") or None,
            mtu_bytes=_leading_int(self.pairs.get("Mtu")),
            gid_index=_leading_int(self.pairs.get("GID index")),
            qps=_leading_int(self.pairs.get("Number of qps")) or self._qps_of_addresses(),
            bidirectional="Bidirectional" in self.test,
            parameters=parameters,
            rows=tuple(self.rows),
            errors=tuple(self.errors),
            complete=self._complete(),
            host=self.host,
            loopback=self.ends.are_one_port(),
            link_local=self.ends.are_link_local(),
        )

    def _kind(self) -> str:
        if self.columns is not None:
            return self.columns.kind
        return "latency" if "Latency" in self.test else "bandwidth"

    def _qps_of_addresses(self) -> int | None:
        """One local address a queue pair, where one side printed and the header is cut off."""
        return self.local_addresses if self.sides <= 1 and self.local_addresses else None

    def _memory(self, kind: str) -> str | None:
        """The header's own word first; the lines about a GPU buffer where it has none."""
        said = memory_of(self.pairs)
        if said is None or (said == "host" and kind and f"use {kind} memory" not in _lower(self.pairs)):
            return kind or said
        return said

    def _complete(self) -> bool:
        """A table ends with a ruler; one that repeats a size runs until somebody stops it."""
        repeated = len(self.rows) > 1 and self.rows[0].size_bytes == self.rows[-1].size_bytes
        return bool(self.rows) and (self.ruled or repeated) and not self.errors


def _lower(pairs: dict[str, str]) -> set[str]:
    return {key.lower() for key in pairs}


def _same(one: PerftestRow, other: PerftestRow) -> bool:
    return (one.size_bytes, one.iterations, one.bw_average_gbit, one.bw_peak_gbit, one.t_avg_us) == (
        other.size_bytes,
        other.iterations,
        other.bw_average_gbit,
        other.bw_peak_gbit,
        other.t_avg_us,
    )


def _leading_int(text: str | None) -> int | None:
    """``4096[B]`` to 4096."""
    match = _LEADING_NUMBER.match(text or "")
    return integer(match.group()) if match else None
