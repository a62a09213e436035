"""Tables of settings and versions of many nodes, as scripts print them that look for drift, in nobody's format::

    key                  n01         n02         n03
    driver               550.90.07   550.90.07   535.183.01
    vm.nr_hugepages      0           0           65536

Or with a node in each row. Columns are split by bars, tabs, commas, semicolons or runs of blanks. It is such a table
where two keys or more name settings or versions (one, where the heading calls them so), and the nodes' names are built
alike. Each cell is one line of its
node, which the rule ``node-lines-differ`` compares; governors and NUMA balancing are readings, too, as they may be
wrong on all nodes alike. What differs by nature is left out (``catalog/words``), and so are cells without a
value: a node that did not answer is no odd one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from msgspec.structs import replace

from slowlink.catalog.words.varying_values import varies_by_name, varies_by_shape
from slowlink.catalog.words.verdict_words import is_node_heading, is_verdict_heading, verdict_of
from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.fronts.node_headings import are_alike, are_parts
from slowlink.parsers.forms.gates import Gate, anywhere, at_start
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import NODE, reading
from slowlink.parsers.host.verdict_tables import cells_of, split_of
from slowlink.patterns import regex

KIND = "node-setting"
"""``Observation.kind``: subject is the key, value what its cell says."""
_MOST_CHARACTERS = 4000
_FEWEST_NODES = 3
_FEWEST_SETTINGS = 2
_HOST = regex(r"(?=[\w.-]{0,80}\d)[A-Za-z][\w.-]{1,80}")
_NUMBERED = r"[A-Za-z](?=[\w.-]{0,80}\d)[\w.-]{1,80}"
_APART = r"(?:\s{2,80}|\s{0,40}[|\t;,]\s{0,40})"
_LABEL = rf"(?:[A-Za-z#][\w ./#-]{{0,40}}?{_APART})?"
_BEGIN = regex(rf"[\s|,;*`]{{0,40}}{_LABEL}{_NUMBERED}[*`]{{0,4}}{_APART}")
"""A node's name in the first column, or in the second one."""
_WORDS = (
    *(
        "kernel",
        "driver",
        "ofed",
        "doca",
        "fw",
        "firmware",
        "bios",
        "nccl",
        "cuda",
        "governor",
        "tuned",
        "profile",
        "mtu",
    ),
    *("iommu", "hugepage", "zone_reclaim", "numa_balancing", "numa balancing", "swappiness", "maxreadreq", "libfabric"),
    *("acs", "selinux", "memlock", "peermem", "release", "image", "turbo", "c-state", "cstate", "grub", "cmdline"),
)
_SETTING = regex(rf"(?i)(?<![a-z])v?(?:{'|'.join(_WORDS)})s?(?![a-z])|(?:^|[\s_.])(?:vm|net|kernel)\.\w")
_RULER = regex(r"[\s|+:=─━│┼┤├═-]{3,4000}")
_NONE = regex(r"(?i)[-–—.?*]{0,3}|n/?a|none|null|unknown|unreachable|no answer|timeout|error|absent|failed|down")
_KEY_HEADING = regex(
    r"(?i)keys?|settings?|param(?:eter)?s?|attributes?|property|field|option|config\w{0,12}|variable|sysctl"
    r"|packages?|software|versions?|components?"
)
_GOVERNOR = regex(r"(?i)(?<![a-z])governor(?![a-z])")
_GOVERNORS = ("performance", "powersave", "schedutil", "ondemand", "conservative", "userspace")
_NUMA_BALANCING = regex(r"(?i)numa[_ ]balancing")
_SWITCH = {"0": False, "off": False, "disabled": False, "1": True, "on": True, "enabled": True}
MAX_CELLS = Limit(200_000, "cells of tables of settings")


class SettingTables:
    """Collects the rows under a heading; whether they are settings of nodes shows at the end."""

    kind: ClassVar[str] = "setting-table"
    literals: ClassVar[Literals] = Literals(("0", *_WORDS), fold=True)

    def __init__(self) -> None:
        self._found: list[Observation | Reading] = []
        self._open((), "")

    @staticmethod
    def gate() -> Gate:
        return (at_start(_BEGIN),), (anywhere(_SETTING), anywhere(_APART))

    @staticmethod
    def wants(text: str) -> bool:
        if len(text) > _MOST_CHARACTERS:
            return False
        split = split_of(text)
        cells = cells_of(text, split) if split not in (None, " ") else []
        if len(cells) < _FEWEST_NODES:
            return False
        return _SETTING.search(text) is not None or _BEGIN.match(text) is not None

    @property
    def greedy(self) -> bool:
        return bool(self._titles) and self._sure

    def feed(self, line: Line) -> Use:
        text = line.text[:_MOST_CHARACTERS]
        if self._titles and (_RULER.fullmatch(text) or not text.strip()):
            return Use.IGNORED
        if self._titles and self._row(text, line):
            return Use.USED
        split = split_of(text)
        cells = [_plain(cell) for cell in cells_of(text, split)] if split not in (None, " ") else []
        if split == "" and text[:1].isspace() and all(map(_HOST.fullmatch, cells)):
            cells = ["", *cells]  # nothing stands above the keys
        by_rows = _has_keys_across(cells)
        if not by_rows and not _has_nodes_across(cells):
            return Use.NOT_MINE
        self._close()
        self._open(cells, split or "", by_rows=by_rows)
        return Use.IGNORED

    def finish(self) -> Iterable[Observation | Reading]:
        self._close()
        return self._found

    def _open(self, titles: Sequence[str], split: str, *, by_rows: bool = False) -> None:
        self._titles, self._split, self._by_rows = tuple(titles), split, by_rows
        self._headed = bool(titles) and not by_rows and _KEY_HEADING.fullmatch(titles[0]) is not None
        self._sure = by_rows or self._headed
        self._rows: list[tuple[str, list[str], Line]] = []

    def _row(self, text: str, line: Line) -> bool:
        """One row, as long as the heading: of a key, or of a node."""
        cells = [_plain(cell) for cell in cells_of(text, self._split)]
        if len(cells) != len(self._titles) or not cells[0] or all(map(verdict_of, cells[1:])):
            return False
        if self._by_rows and not _HOST.fullmatch(cells[0]):
            return False
        self._sure = self._sure or _SETTING.search(cells[0]) is not None
        if not self._sure or cells[0] in self._titles:
            return False  # measurements, or a matrix of pairs
        if MAX_CELLS.has_room(len(self._rows) * len(cells)):
            self._rows.append((cells[0], cells[1:], line))
        return True

    def _close(self) -> None:
        heads = [head for head, _, _ in self._rows]
        nodes, keys = (heads, self._titles[1:]) if self._by_rows else (self._titles[1:], heads)
        settings = sum(_SETTING.search(key) is not None for key in keys)
        if (
            settings >= (1 if self._headed else _FEWEST_SETTINGS)
            and len(set(nodes)) == len(nodes) >= _FEWEST_NODES
            and _are_nodes(nodes)
        ):
            for head, cells, line in self._rows:
                for title, value in zip(self._titles[1:], cells, strict=True):
                    node, key = (head, title) if self._by_rows else (title, head)
                    self._say(node, key, value, line)
        self._open((), "")

    def _say(self, node: str, key: str, value: str, line: Line) -> None:
        if not (_NONE.fullmatch(value) or varies_by_name(key) or varies_by_shape(value)):
            told = " ".join(value.replace(node, "NODE").split())
            self._found.append(Observation(KIND, key, told, node, line.ref()))
            if _GOVERNOR.search(key) and told in _GOVERNORS:
                self._found.append(replace(reading("cpu-governor", Part("cpu", "all"), told, line), host=node))
            elif _NUMA_BALANCING.search(key) and told.lower() in _SWITCH:
                self._found.append(replace(reading("numa-balancing", NODE, _SWITCH[told.lower()], line), host=node))


def _plain(cell: str) -> str:
    return cell.strip("*` \t")


def _are_nodes(names: Sequence[str]) -> bool:
    return are_alike(names) and not are_parts(names)


def _has_nodes_across(cells: Sequence[str]) -> bool:
    """A heading with a node in each column but the first."""
    names = cells[1:]
    return (
        len(names) >= _FEWEST_NODES
        and not _HOST.fullmatch(cells[0])
        and all(map(_HOST.fullmatch, names))
        and len(set(names)) == len(names)
        and _are_nodes(names)
    )


def _has_keys_across(cells: Sequence[str]) -> bool:
    """A heading with a setting in each column, of nodes that stand below one another."""
    if len(cells) < 1 + _FEWEST_SETTINGS or not is_node_heading(cells[0]) or any(map(is_verdict_heading, cells[1:])):
        return False
    return sum(_SETTING.search(cell) is not None for cell in cells[1:]) >= _FEWEST_SETTINGS


PARSER = SettingTables
