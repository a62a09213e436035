"""One run while its lines come in, and the record it becomes."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct, field

from slowlink.model.benchmark import CollectiveRun, RankDevice
from slowlink.model.source import Line, Ref
from slowlink.parsers.benchmarks.nccl_tests.collective import collective_of_program, infer
from slowlink.parsers.benchmarks.nccl_tests.columns import Layout
from slowlink.parsers.benchmarks.nccl_tests.footer import FooterLine
from slowlink.parsers.benchmarks.nccl_tests.points import points_of
from slowlink.parsers.benchmarks.nccl_tests.preamble import PROGRAM, Mark, PreambleLine
from slowlink.parsers.benchmarks.nccl_tests.rows import Row
from slowlink.parsers.benchmarks.nccl_tests.sizes import largest_size, next_size

_STANDARD = ("size", "count", "type")


class RunBuilder(Struct):
    """What is known so far of one run. Lines are added in order; ``build`` makes the record."""

    header: Ref
    stream: str
    caption: str | None
    end: Ref
    tool: str = "table"
    program: str | None = None
    program_ref: Ref | None = None
    named: tuple[str, Ref] | None = None
    """The collective, where the output states it without a program's name."""
    tests_version: str | None = None
    nccl_version: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    devices: list[RankDevice] = field(default_factory=list)
    ranks: set[int] = field(default_factory=set)
    devices_elided: bool = False
    layout: Layout | None = None
    rows: list[Row] = field(default_factory=list)
    torn: list[Ref] = field(default_factory=list)
    elided: list[Ref] = field(default_factory=list)
    average: FooterLine | None = None
    average_ref: Ref | None = None
    bounds: FooterLine | None = None
    bounds_ref: Ref | None = None
    concluded: bool = False
    reduced_max_bytes: int | None = None
    errors: list[Ref] = field(default_factory=list)
    marks: set[Mark] = field(default_factory=set)
    closed: bool = False
    """No further row can belong to it."""
    last_before: str = ""
    """The unclaimed text above its last line: when it changes, something else stood in between."""

    @property
    def open_for_rows(self) -> bool:
        return self.layout is not None and not self.closed and self.average is None and self.bounds is None

    @property
    def in_preamble(self) -> bool:
        return self.layout is None and not self.closed and self.average is None and not self.concluded

    @property
    def foreign(self) -> bool:
        """Nothing but a header with columns that no test prints: another program's table."""
        if self.rows or self.marks or self.torn or self.layout is None or self.average or self.bounds:
            return False
        return any(not column.key for column in self.layout.columns)

    def touch(self, line: Line) -> None:
        self.end = line.ref()
        self.last_before = line.before

    def add_preamble(self, part: PreambleLine, ref: Ref) -> None:
        if part.mark is not Mark.NOTICE:
            self.marks.add(part.mark)
        if part.tool is not None:
            self.tool = part.tool
        elif self.tool == "table":
            self.tool = "nccl-tests"
        if part.program is not None:
            self.program, self.program_ref = part.program, ref
        if part.collective is not None:
            self.named = part.collective, ref
        self.tests_version = part.tests_version or self.tests_version
        self.nccl_version = part.nccl_version or self.nccl_version
        self.parameters.update(part.parameters)
        if part.device is not None:
            self.devices.append(part.device)
            self.ranks.add(part.device.rank)
        self.devices_elided |= part.elided
        if part.reduced_max_bytes is not None:
            self.reduced_max_bytes = part.reduced_max_bytes

    def add_row(self, row: Row) -> None:
        """Keep a row; one of which nothing can be read counts as torn only."""
        if any(len(side.torn) < 2 for side in row.sides):
            self.rows.append(row)
        else:
            self.torn.append(row.ref)

    def set_layout(self, layout: Layout) -> None:
        self.layout = layout
        if self.tool == "table" and layout.printed and tuple(c.key for c in layout.columns[:3]) == _STANDARD:
            self.tool = "nccl-tests"

    def add_footer(self, part: FooterLine, ref: Ref) -> None:
        if self.tool == "table" and (not self.rows or part.kind != "average"):
            self.tool = "nccl-tests"
        if part.kind == "bounds":
            self.bounds, self.bounds_ref = part, ref
        elif part.kind == "average":
            self.average, self.average_ref = part, ref
        else:
            self.concluded = True
            if self.program is None:
                self.program, self.program_ref = part.program, ref

    def build(self) -> CollectiveRun:
        # A row that was given up late came earlier than those after it.
        self.rows.sort(key=lambda row: row.ref.line)
        collective, basis = self._collective()
        table = points_of(self.rows, self.layout, self._nranks() if collective == "hypercube" else None)
        if collective is None:
            collective, basis = infer(self.layout, self.rows, table.ratio, self._nranks())
        if collective is None:
            collective, basis = self._caption_collective()
        torn = {ref.line: ref for ref in [*self.torn, *table.torn]}
        return CollectiveRun(
            tool=self.tool,
            source=self.header.source,
            stream=self.stream,
            header=self.header,
            collective=collective,
            collective_basis=basis,
            program=self.program,
            tests_version=self.tests_version,
            nccl_version=self.nccl_version,
            parameters=dict(self.parameters),
            devices=tuple(sorted(self.devices, key=lambda device: device.rank)),
            devices_elided=self.devices_elided or self._has_gap(),
            columns=self.layout.names if self.layout and self.layout.printed else (),
            points=table.points,
            rows=len(self.rows),
            torn_rows=tuple(torn[line] for line in sorted(torn)),
            elided=tuple(self.elided),
            average_busbw_gbs=self.average.average if self.average else None,
            average_ref=self.average_ref,
            average_failed=self.average is not None and self.average.failed,
            out_of_bounds=self.bounds.count if self.bounds else None,
            out_of_bounds_failed=self.bounds is not None and self.bounds.failed,
            out_of_bounds_ref=self.bounds_ref,
            concluded=self.concluded or self.average is not None or self.bounds is not None,
            header_only=not self.rows and not (self.average or self.bounds or self.concluded),
            reduced_max_bytes=self.reduced_max_bytes,
            unreached_bytes=self.unreached(),
            masked=table.masked or (self.average is not None and self.average.masked),
            errors=tuple(self.errors),
            end=self.end,
            caption=self.caption,
        )

    def unreached(self) -> int | None:
        """The largest size in bytes that is announced, where the rows end before it."""
        largest = largest_size(self.parameters, self.reduced_max_bytes)
        if not self.rows or largest is None or next_size(self.parameters, self.rows[-1].size) > largest:
            return None
        return largest

    def _collective(self) -> tuple[str | None, str]:
        if self.named is not None:
            return self.named[0], self.named[1].text.strip()
        if self.program is None or self.program_ref is None:
            return None, ""
        name = collective_of_program(self.program)
        return name, self.program_ref.text.strip() if name else ""

    def _caption_collective(self) -> tuple[str | None, str]:
        names = set(PROGRAM.findall(self.caption or ""))
        if len(names) != 1:
            return None, ""
        return collective_of_program(names.pop()), f'the line above the table: "{self.caption}"'

    def _nranks(self) -> int | None:
        complete = self.devices and not self.devices_elided and not self._has_gap()
        return len(self.devices) if complete else None

    def _has_gap(self) -> bool:
        counted = Counter(device.rank for device in self.devices)
        return bool(counted) and (max(counted) + 1 != len(counted) or min(counted) != 0)
