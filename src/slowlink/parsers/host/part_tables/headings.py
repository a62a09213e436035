"""The heading of a table of nodes and parts: which column names what, and what the others hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from slowlink.catalog.words.part_columns import Column, column_of, named, plain_title
from slowlink.catalog.words.verdict_words import is_node_heading, node_headings
from slowlink.parsers.forms.gates import at_start
from slowlink.parsers.forms.rdma_values import RDMA_SHAPE
from slowlink.parsers.host.verdict_tables import cells_of, split_of
from slowlink.patterns import regex

_INDEX = regex(r"\d{1,2}")
_GPU = regex(r"(?i)(?:gpu|gcd)[ _#:-]{0,2}(?P<index>\d{1,2})|(?P<bare>\d{1,2})")
_HCA = regex(rf"(?P<name>{RDMA_SHAPE})(?:[/:](?P<port>\d{{1,2}}))?")
_INTERFACE = regex(r"(?P<name>(?:en[opsx]|eth|ib|bond|hsn|ens|enp)[\w.]{0,14}\d[\w.]{0,10})")
_GPU_ACROSS = regex(r"(?i)(?:gpu|gcd)[ _#-]{0,2}\d{1,2}")
_HOST = regex(r"(?=[\w.-]{0,80}\d)[A-Za-z][\w.-]{1,80}")
_TITLE = regex(r"[A-Za-z][^|]{0,40}")
_MEASURED = regex(r"(?i)bandwidth|_bw\b|\bbw\b|busbw|throughput|measured|perf\b|latency|error|count")
"""What was measured or counted of parts is another parser's."""
_NAMED_GPU = ("gpu", "gpu id", "gpu idx", "gpu index", "gpu no", "gpu num")
_NAMED_INDEX = ("idx", "index", "")
_NAMED_HCA = (
    *("hca", "device", "nic", "adapter", "rdma dev", "rdma device", "ib dev", "ib device", "port"),
    *("interface", "iface", "netdev", "ifname", "hca port", "ib port", "rdma", "mlx dev", "hca name", "nic name"),
)
_FEWEST_ACROSS = 2
_CLOSE = regex(r"\S{1,40}(?: {1,4}\S{1,40}){1,11}\s{0,8}")


_FRONT = r"[\s|#]{0,40}[*`\"_]{0,4}"
_FIRST_WORDS = sorted(
    {word.partition(" ")[0] for word in (*node_headings(), *_NAMED_GPU, *_NAMED_HCA) if word} | {"name", "idx", "index"}
)
_BEGINS = regex(rf"(?i){_FRONT}(?:{'|'.join(_FIRST_WORDS)})")
_PARTS_FOLLOW = regex(
    rf"{_FRONT}(?:[A-Za-z][^|\d:]{{0,40}}?)?(?:\s|[|\t;,])\s{{0,40}}(?:{RDMA_SHAPE}|(?i:gpu|gcd)[ _#-]{{0,2}}\d)"
)


class Heading(Struct, frozen=True):
    """How a table is read."""

    split: str
    titles: tuple[str, ...]
    names: int = 0
    """The column that is never empty."""
    node: int | None = None
    part: int | None = None
    kind: str = ""
    """Of the parts in a column, or across: ``gpu``, ``hca``, ``interface``."""
    columns: tuple[tuple[int, Column], ...] = ()
    """What is known of the columns; of parts side by side none is."""
    across: str = ""
    """``parts``: a part in each column but the first; ``nodes``: a node in each; "" for one column a value."""
    quantity: Column | None = None
    """What the cells hold where parts or nodes stand side by side, as far as words say it."""
    measured: bool = False

    def below(self, caption: str) -> Heading:
        """With what the line above the table says of its cells."""
        if not self.across:
            return self
        words = f"{self.titles[0]} {caption}"
        return replace(self, quantity=named(words), measured=_MEASURED.search(words) is not None)

    def fits(self, cells: Sequence[str]) -> bool:
        """Is this a row of the table?"""
        if self.measured:
            return False
        if self.across:
            first = _HOST if self.across == "parts" else None
            if not (first.fullmatch(cells[0]) if first is not None else part_named(self.kind, cells[0])):
                return False
            told = [cell for cell in cells[1:] if not is_none(cell)]
            return bool(told) and all(map(self.says, told))
        if self.node is not None and not _HOST.fullmatch(cells[self.node]):
            return False
        if self.part is not None and part_named(self.kind, cells[self.part]) is None:
            return False
        if not self.columns:
            return self.part is not None and cells[self.part].isdecimal()
        return any(column.told(cells[index]) for index, column in self.columns)

    def says(self, cell: str) -> bool:
        """Is a cell of parts side by side one that can be read?"""
        if self.quantity is not None:
            return bool(self.quantity.told(cell))
        return any(named(name).told(cell) for name in ("rate", "state", "firmware", "pcie"))  # type: ignore[union-attr]


def part_named(kind: str, cell: str) -> tuple[str, str] | None:
    """Kind and name of the part that a cell names: ``("hca", "mlx5_0/1")``, ``("gpu", "3")``."""
    if kind == "gpu":
        found = _GPU.fullmatch(cell)
        return ("gpu", str(int(found["index"] or found["bare"]))) if found is not None else None
    found = _HCA.fullmatch(cell)
    if found is not None:
        return "hca", f"{found['name']}/{found['port'] or 1}"
    found = _INTERFACE.fullmatch(cell)
    return ("interface", found["name"]) if found is not None else None


def is_none(cell: str) -> bool:
    return cell.strip(" -–—.?*").lower() in ("", "n/a", "na", "none", "null", "unknown", "x")


def heading_words() -> frozenset[str]:
    """One of these stands in each heading."""
    return frozenset({*node_headings(), *_NAMED_GPU, *_NAMED_HCA, "name", "idx", "index"})


def may_head() -> tuple[tuple[str, ...], ...]:
    """Gates: how a line begins of which ``heading_of`` may be true."""
    return (at_start(_BEGINS),), (at_start(_PARTS_FOLLOW),)


@lru_cache(1 << 11)
def heading_of(text: str) -> Heading | None:
    """Blind to digits. None for a line that heads no such table."""
    split = split_of(text)
    if split is None or not (_BEGINS.match(text) or _PARTS_FOLLOW.match(text)):
        return None
    cells = [cell.strip('*`" #') for cell in cells_of(text, split)] if split != " " else []
    if len(cells) > 1:
        if split == "" and text[:1].isspace() and _kind_across(cells):
            cells = ["", *cells]  # nothing stands above the nodes
        found = _across(split, cells) or _in_rows(split, cells)
        if found is not None:
            return found
    close = text.split() if split in ("", " ") and _CLOSE.fullmatch(text.strip()) else []
    if len(close) > 1 and text[:1].isspace() and _kind_across(close):
        return _across(" ", ["", *close])
    found = (_across(" ", close) or _in_rows(" ", close)) if len(close) > 1 else None
    if found is not None and found.across:
        return found
    if found is None or len(found.columns) + (found.node is not None) + (found.part is not None) < len(close):
        return None  # a sentence
    return found


def _kind_across(names: Sequence[str]) -> str:
    if len(names) < _FEWEST_ACROSS:
        return ""
    if all(map(_HCA.fullmatch, names)):
        return "hca"
    return "gpu" if all(map(_GPU_ACROSS.fullmatch, names)) else ""


def _across(split: str, cells: Sequence[str]) -> Heading | None:
    corner, names = cells[0], cells[1:]
    kind = _kind_across(names)
    if kind and (not corner or _TITLE.fullmatch(corner)):
        return Heading(split, tuple(cells), 0, kind=kind, across="parts")
    plain = plain_title(corner)
    if len(names) < _FEWEST_ACROSS or not all(map(_HOST.fullmatch, names)) or len(set(names)) < len(names):
        return None
    if plain in _NAMED_GPU or plain in _NAMED_HCA:
        return Heading(split, tuple(cells), 0, kind="gpu" if plain in _NAMED_GPU else "hca", across="nodes")
    return None


def _in_rows(split: str, cells: Sequence[str]) -> Heading | None:
    """A heading with what each column holds."""
    plain = [plain_title(cell) for cell in cells]
    node = next((n for n, cell in enumerate(cells[:3]) if is_node_heading(cell)), None)
    if node is None and plain[0] == "name":
        node = 0
    part, kind = _part_column(plain, node)
    if node is None and part is None:
        return None
    columns = tuple(
        (index, column)
        for index, cell in enumerate(cells)
        if index not in (node, part)
        and (column := column_of(cell)) is not None
        and column.may_stand(kind, plain[index])
    )
    counted = node is not None and part is not None and not columns
    if not columns and not counted:
        return None
    names = part if part is not None and node is None else node if node is not None else 0
    return Heading(split, tuple(cells), names, node, part, kind, columns)


def _part_column(plain: Sequence[str], node: int | None) -> tuple[int | None, str]:
    """The column that names the part, and the kind of part."""
    for index, title in enumerate(plain[:4]):
        if index == node:
            continue
        if title in _NAMED_GPU:
            return index, "gpu"
        if title in _NAMED_HCA:
            return index, "hca"
    for index, title in enumerate(plain[:2]):
        if index != node and title in _NAMED_INDEX and any("gen" in each or "pci" in each for each in plain):
            return index, "gpu"
    return None, ""
