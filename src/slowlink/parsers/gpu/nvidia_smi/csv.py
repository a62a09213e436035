"""``nvidia-smi --query-gpu=... --format=csv`` and the queries of processes, remapped rows and retired pages.

The header's names decide the columns. Without a header (``noheader``) the command above names them; without that
nothing is read, because numbers alone have no meaning.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.fronts.node_headings import RULER
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.lines import form_of
from slowlink.parsers.forms.literals import hexadecimal_pairs
from slowlink.parsers.forms.make_reading import bus_id, whole
from slowlink.parsers.gpu.nvidia_smi.csv_fields import KNOWN_STARTS, PROPERTIES, REASON_BITS
from slowlink.parsers.gpu.nvidia_smi.sink import Sink, gpu
from slowlink.parsers.gpu.nvidia_smi.values import program, size
from slowlink.patterns import regex

MAX_COLUMNS = Limit(400, "columns")
_GAP = 6
"""Lines between a command and its output, or between rows."""
_COMMAND = regex(
    r"nvidia-smi\b.{0,200}?--query-(?P<what>gpu|compute-apps|remapped-rows|retired-pages|accounted-apps)[= ]"
    r"[\"']?(?P<fields>[\w.,]{1,6000})"
)
_NAME = regex(r"(?P<name>[A-Za-z][\w.]{0,80})(?: \[(?P<unit>[\w%./]{1,10})\])?")
_ROW = regex(
    r"(?:\d{4}/\d\d/\d\d |(?:NVIDIA|Tesla|Quadro|GeForce|TITAN|GPU-|GRID) ?|\[?N/A|[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:"
    r"|-?\d[\d.]{0,15}(?: (?:MiB|W|MHz|%|us|C))?(?:,|$)|0x[0-9A-Fa-f]{1,16}(?:,|$)"
    r"|Enabled|Disabled|Active|Not Active|Yes|No\b|P\d)"
)


_PROMPT = regex(r"(?:\[?\w[\w.-]{0,40}@[\w.-]{1,80}\b.{0,80}?[#$%>]|[$#%]) ")
"""The next command: rows of one column may look like anything, and end here."""
_NEXT = regex(r";|&&")
_ONE_LINE = regex(r"[^;&]{0,40}\|\s{0,4}(?:sort -u|uniq|head -n? ?1)\b")
"""Behind the query: what is alike, or the first, is one line."""
_ABSENT = regex(r"\[|N/A|ERR!|Unknown|No\b")
"""What nvidia-smi prints where it has no value."""
_UUID = regex(r"GPU-[0-9a-f]{8}-[0-9a-f-]{27}")


class _Table(Struct):
    """Columns of the rows that follow, and how many rows there were."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    rows: int = 0
    read: int = 0
    """Rows that said something."""


class Csv:
    """Holds the columns that the last header or command named, and matches rows with them."""

    marks: ClassVar[tuple[str, ...]] = (
        *("--query-", "\n0", "\n-0", "\nNVIDIA", "\nTesla", "\nQuadro", "\nGeForce", "\nTITAN", "\nGPU-", "\nGRID"),
        *("\n[N/A", "\nN/A", "\nEnabled", "\nDisabled", "\nActive", "\nNot Active", "\nYes", "\nNo", "\nP0"),
        *(f":{pair}:" for pair in hexadecimal_pairs("abcdefABCDEF")),
        *(f"\n{form_of(name).decode()}" for name in (*PROPERTIES, *KNOWN_STARTS)),
    )

    def __init__(self) -> None:
        self._out = Sink()
        self._table: _Table | None = None
        self._typed: tuple[str, ...] = ()
        """Properties that the command above asks for."""
        self._last = -_GAP
        self._followed = False
        """Another command follows on the same line: what no value can be is its answer."""
        self._most: int | None = None
        """Rows that the command leaves."""
        self._head = False
        """Between the two rulers that ``clush -b`` draws around names of nodes."""
        self._sent = False
        """The command was sent to many nodes: their rows come in any order, with those of others between them."""

    @staticmethod
    def is_command(text: str) -> bool:
        """Does a command name the columns of rows that follow?"""
        return "--query-" in text and _COMMAND.search(text[:8000]) is not None

    def hear(self, line: Line) -> None:
        """A command that was typed once for many nodes."""
        self.feed(line)
        self._sent = len(self._typed) > 1

    @staticmethod
    def wants(text: str) -> bool:
        if "--query-" in text or _header(text) is not None:
            return True
        return _ROW.match(text) is not None and ("," in text or len(text) < 60)

    @property
    def open(self) -> bool:
        """Does the command above ask for one column, so that a line of any shape may be a row?"""
        return len(self._typed) == 1

    def feed(self, line: Line) -> Use:
        text = line.text.strip()
        command = _COMMAND.search(text[:8000])
        if command is not None:
            names = tuple(MAX_COLUMNS.first(command["fields"].split(",")))
            self._typed = names
            self._table = _Table(names, ("",) * len(names)) if "noheader" in text else None
            self._last, self._sent = line.no, False
            self._followed = _NEXT.search(text[:8000], command.end()) is not None
            self._most = 1 if _ONE_LINE.search(text[:8000], command.end()) else None
            self._head = False
            return Use.NOT_MINE  # a command is the commands' parser's
        if self.open and self._is_of_head(text):
            self._last = line.no
            return Use.NOT_MINE
        next_command = self.open and _PROMPT.match(text) is not None
        if next_command or (line.no - self._last > _GAP and not self._sent):
            self._table, self._typed = None, ()
        header = _header(text) or self._typed_header(text)
        if header is not None:
            self._table = header
            self._last = line.no
            return Use.IGNORED
        if self._table is None or self._table.rows == self._most:
            return Use.NOT_MINE
        use = self._row(self._table, text, line)
        known = self.open and self._typed[0] in PROPERTIES
        if known and self._followed and use is Use.IGNORED and not _ABSENT.match(text):
            if self._table.read:
                self._table, self._typed = None, ()  # the answer of the next command
            return Use.NOT_MINE
        if use is not Use.NOT_MINE:
            self._last = line.no
        return use

    def _is_of_head(self, text: str) -> bool:
        """Is it a ruler, or names of nodes between two? Behind them the answer begins anew."""
        ruler = RULER.fullmatch(text) is not None
        if ruler:
            self._head = not self._head
        if ruler and not self._head:
            self._table = _Table(self._typed, ("",) * len(self._typed))
        return ruler or self._head

    def finish(self) -> list[Reading]:
        return self._out.found

    def _typed_header(self, text: str) -> _Table | None:
        """A header of one column is a common word; the command above makes it a header."""
        found = _NAME.fullmatch(text)
        if len(self._typed) != 1 or found is None or found["name"] != self._typed[0]:
            return None
        return _Table((found["name"],), (found["unit"] or "",))

    def _row(self, table: _Table, text: str, line: Line) -> Use:
        cells = [cell.strip() for cell in text.split(",")]
        if len(cells) != len(table.names):
            return Use.NOT_MINE
        row = dict(zip(table.names, cells, strict=True))
        table.rows += 1
        part = _part(row) or gpu("?" if table.rows == 1 else f"?{table.rows}")
        if "pid" in row:
            return self._process(row, part, line)
        used = False
        for name, cell, unit in zip(table.names, cells, table.units, strict=True):
            used |= self._cell(name, cell, unit, part, line)
        table.read += used
        return Use.USED if used else Use.IGNORED

    def _cell(self, name: str, cell: str, unit: str, part: Part, line: Line) -> bool:
        if name in ("clocks_event_reasons.active", "clocks_throttle_reasons.active"):
            return self._reasons(cell, part, line)
        known = PROPERTIES.get(name)
        if known is None:
            return False
        if unit in ("KiB", "GiB") and cell.isdecimal():
            cell = f"{cell} {unit}"
        return self._out.field(known, part, cell, line)

    def _reasons(self, cell: str, part: Part, line: Line) -> bool:
        bits = whole(cell)
        if bits is None:
            return False
        for bit, attribute in REASON_BITS.items():
            self._out.take(attribute, part, bool(bits & bit), line)
        return True

    def _process(self, row: dict[str, str], part: Part, line: Line) -> Use:
        pid = row["pid"]
        if not (pid.isascii() and pid.isdecimal() and len(pid) < 11):
            return Use.IGNORED
        process = Part("process", pid)
        if _part(row) is not None:
            self._out.take("process-gpu", process, part.name, line)
        self._out.take("process-name", process, program(row.get("process_name", row.get("name", ""))), line)
        memory = row.get("used_gpu_memory", row.get("used_memory", ""))
        self._out.take("process-gpu-memory", process, size(memory), line)
        return Use.USED


def _part(row: dict[str, str]) -> Part | None:
    """The GPU of a row: its index, else its PCI address, else its UUID; None where the row has none of them."""
    index = row.get("index", "")
    if index.isascii() and index.isdecimal() and len(index) < 5:
        return gpu(str(int(index)))
    address = bus_id(row.get("pci.bus_id", row.get("gpu_bus_id", "")))
    uuid = row.get("uuid", row.get("gpu_uuid", ""))
    return gpu(address or uuid) if address or _UUID.fullmatch(uuid) else None


def _header(text: str) -> _Table | None:
    """Columns, when every cell is the name of a property and there are two at least."""
    if ", " not in text or not text[:1].isalpha() or len(text) > 16_000:
        return None
    found = [_NAME.fullmatch(cell.strip()) for cell in MAX_COLUMNS.first(text.split(","))]
    names = [match["name"] for match in found if match is not None]
    if len(names) != len(found) or not all(name in PROPERTIES or name.startswith(KNOWN_STARTS) for name in names):
        return None
    return _Table(tuple(names), tuple(match["unit"] or "" for match in found if match is not None))
