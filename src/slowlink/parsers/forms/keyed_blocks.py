"""Blocks of ``key: value`` lines under a heading that names a device or a port: what many tools print.

A tool's parser lists its headings and its keys; this class keeps the place. A block ends where its lines end: a key
that comes many lines later, or behind another tool's heading, belongs to somebody else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct

from slowlink.catalog.attributes import attribute
from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.fronts.node_headings import RULER, section_heading
from slowlink.parsers.forms.gates import Gate, as_whole, at_start
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.lines import form_of
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

GAP = 12
"""Lines that may stand between two lines of a block (blank ones, keys that nobody reads)."""
INTERLEAVED_GAP = 5000
"""The same where other nodes write between them."""
_BETWEEN = r"(?:^|[\t ,;|]{1,8})"
"""What stands between two lines that ``paste``, ``xargs`` or ``tr`` made one."""
_HEADINGS_APART = regex(r"\t[\t ]{0,20}| {1,8}(?=[Pp]ort:? ?\d)")

_FEWEST_COLONS, _FEWEST_PIECES = 2, 2
"""In a line that two lines were made: keys, or a heading and a key."""
_MOST_EDGES = 8
"""Places in a line where one heading may end and another begin."""

OTHER_HEADING = regex(
    r"\s{0,40}(?:hca_id:|(?:CA|Switch|Router):? '|Infiniband device '|(?:Settings|Pause parameters|FEC parameters) for "
    r"|NIC statistics:|DCBX mode:|[\w.@:~/-]{0,120}[#$] |\[[^\[\]]{1,160}\][#$] ?)"
)
"""Headings of all formats of this family, and prompts: what stands below is no longer ours."""
_OTHER_MARKS = (
    *("hca_id:", "\nCA '", "\nCA: '", "\nSwitch '", "\nSwitch: '", "\nRouter '", "\nRouter: '", "Infiniband device '"),
    *("Settings for ", "parameters for ", "NIC statistics:", "DCBX mode:", "# ", "$ ", "]#", "]$"),
)
"""One of these stands in each of them."""

_KEY = regex(r"\s{0,60}(?P<key>[A-Za-z][\w .()/%\[\]-]{0,60}?)\s{0,40}:(?:\s|$)\s{0,20}(?P<value>.{0,400})")


_TO_NODES = r"\b(?:pdsh|clush|pssh|parallel-ssh|ansible|srun|mpirun|ssh)\b"
"""What sends a command to other nodes."""
_ASKED_MANY = regex(r".{0,200}\b(?:pdsh|clush|pssh|parallel-ssh|ansible|srun|mpirun)\b|.{0,200}\bfor \w{1,20} in\b")


def asked_for(command: str) -> re.Pattern[str]:
    """A heading that somebody typed, for this node or for others: ``$ ibstat mlx5_0 1 | grep Rate`` names the device of
    what is left below it, and so does ``$ clush -b -w gpu[01-40] "ibstat mlx5_0 1 | grep Rate"``."""
    return regex(
        rf"(?P<asked>.{{0,160}}[#$%>❯\]] {{0,8}}|.{{0,160}}{_TO_NODES}.{{1,160}}[ '\"]|\s{{0,8}})(?:sudo )?"
        rf"{command} (?P<device>[a-z][\w.-]{{1,39}})"
        r"(?:[ :](?P<port>\d{1,3}))?['\"]?\s{0,4}(?:[|;].{0,160})?"
    )


def _typed(heading: re.Match[str]) -> bool:
    """Is it a command behind a prompt? Inside a block, too, those must hear of it that know whose prompt it is."""
    asked = heading.groupdict().get("asked") or ""
    return asked.rstrip().endswith(("#", "$", "%", ">", "❯", "]"))


class Key(Struct, frozen=True):
    """One attribute that a key gives."""

    attribute: str
    convert: Callable[[str], Value | None]


class KeyedBlocks:
    """Reads one such format. Parts of kind port are ``device/port``, all others ``device``."""

    kind: ClassVar[str] = ""
    headings: ClassVar[tuple[re.Pattern[str], ...]] = ()
    """Full matches with the groups ``device`` or ``port``; a device begins anew without a port."""
    keys: ClassVar[Mapping[str, tuple[Key, ...]]] = {}
    """By key, without digits. An empty tuple: a key of this format that says nothing."""
    marks: ClassVar[tuple[str, ...]] = ()
    """Literals, one of which stands in every heading, and in every line that the class wants besides."""
    literals: ClassVar[Literals | None] = None
    pasted: ClassVar[re.Pattern[str]] = regex(r"(?!)")
    """A key of this format, anywhere in a line that several lines were made."""
    form_decides: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        keys = (form_of(key).decode() for key in cls.keys)
        longest_first = sorted(cls.keys, key=len, reverse=True)
        cls.pasted = regex(rf"{_BETWEEN}(?P<key>{'|'.join(map(re.escape, longest_first)) or '(?!)'})\s{{0,8}}:(?:\s|$)")
        cls.literals = Literals((*cls.marks, *_OTHER_MARKS, *(f"\n{key}" for key in keys)))

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._device = ""
        self._port = ""
        self._last = 0
        self._filtered: dict[str, Counter[str]] = {}
        """How often a device gave an attribute of a port without naming the port."""
        self._asked = False
        """Did a command name the device? Below each heading of a node it prints the same device anew."""

    @classmethod
    def gate(cls) -> Gate:
        """Open for keys and headings."""
        keys = "|".join(map(re.escape, cls.keys)) or r"[^\s\S]"
        key = rf"\s{{0,60}}(?:{keys})\s{{0,40}}:"
        return ((f"{at_start(key, OTHER_HEADING)}|{as_whole(*cls.headings)}" if cls.headings else at_start(key),),)

    @classmethod
    def wants(cls, text: str) -> bool:
        if ":" in text:
            match = _KEY.match(text)
            if match is not None and match["key"] in cls.keys:
                return True
        return OTHER_HEADING.match(text) is not None or any(heading.fullmatch(text) for heading in cls.headings)

    @classmethod
    def hears(cls, text: str) -> bool:
        return _ASKED_MANY.match(text) is not None and any(
            "asked" in heading.groupindex and heading.fullmatch(text) for heading in cls.headings
        )

    def hear(self, line: Line) -> None:
        """A command that was typed once for many nodes names the device of what this one printed."""
        for heading in self.headings:
            match = heading.fullmatch(line.text)
            if match is not None:
                self._open(match, line)

    @property
    def greedy(self) -> bool:
        return self._asked

    def feed(self, line: Line) -> Use:
        pieces = self._pieces(line.text)
        if pieces:
            return self._feed_pasted(pieces, line)
        for heading in self.headings:
            match = heading.fullmatch(line.text)
            if match is not None and self._open(match, line):
                return Use.NOT_MINE if _typed(match) else Use.IGNORED
        if OTHER_HEADING.match(line.text):
            self._device = self._port = ""
            self._asked = False
        match = _KEY.match(line.text) if self._device and self._near(line) else None
        facts = self.keys.get(match["key"]) if match is not None else None
        if match is None or facts is None:
            self._perhaps_another_node(line)
            return Use.NOT_MINE
        self._last = line.no
        return self._take(facts, match["value"].strip(), line)

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _pieces(self, text: str) -> list[tuple[str, str]]:
        """Keys and values of a line that ``paste - - -`` or ``xargs`` made of several: ``CA 'mlx5_0'  State: Active
        Rate: 200``. Headings before them have no value. Nothing where the line is one of the tool's own."""
        if text.count(":") < _FEWEST_COLONS and "'" not in text:
            return []
        found = list(self.pasted.finditer(text))
        headed = self._headings_of(text[: found[0].start()]) if found else None
        if headed is None or len(found) + len(headed) < _FEWEST_PIECES:
            return []
        ends = [*(match.start() for match in found[1:]), len(text)]
        values = [(match["key"], text[match.end() : end]) for match, end in zip(found, ends, strict=True)]
        return [*((part, "") for part in headed), *values]

    def _headings_of(self, text: str) -> list[str] | None:
        """The headings that ``text`` consists of, one behind the other; None where it is anything else."""
        edges = [0, *(gap.start() for gap in _HEADINGS_APART.finditer(text)), len(text)][-_MOST_EDGES:]
        headings: list[str] = []
        at = 0
        while text[at:].strip():
            known = (text[at:end].strip() for end in reversed(edges) if end > at)
            one = next((part for part in known if any(h.fullmatch(part) for h in self.headings)), None)
            if one is None:
                return None
            headings.append(one)
            at = text.index(one, at) + len(one)
        return headings

    def _feed_pasted(self, pieces: Sequence[tuple[str, str]], line: Line) -> Use:
        used = False
        for key, value in pieces:
            facts = self.keys.get(key)
            if facts is None:
                self._device = "" if not self._near(line) else self._device
                used |= any(
                    self._open(match, line)
                    for heading in self.headings
                    if (match := heading.fullmatch(key)) is not None
                )
            elif self._device and self._near(line):
                self._last = line.no
                used |= self._take(facts, value.strip(" \t,;|"), line) is Use.USED
        return Use.USED if used else Use.NOT_MINE

    def _perhaps_another_node(self, line: Line) -> None:
        """Behind a heading of a node the command's output begins anew."""
        if self._asked and (RULER.fullmatch(line.text) or section_heading(line.text) is not None):
            self._filtered.clear()
            self._last = line.no

    def _open(self, match: re.Match[str], line: Line) -> bool:
        groups = match.groupdict()
        if groups.get("device"):
            self._asked = groups.get("asked") is not None
            self._device, self._port = groups["device"], groups.get("port") or ""
            self._filtered.pop(self._device, None)
        elif groups.get("port") and self._device and self._near(line):
            self._port = groups["port"]
        else:
            return False
        self._last = line.no
        return True

    def _near(self, line: Line) -> bool:
        return line.no - self._last <= (INTERLEAVED_GAP if line.stream else GAP)

    def _take(self, facts: tuple[Key, ...], value: str, line: Line) -> Use:
        used = False
        for fact in facts:
            said = fact.convert(value)
            part = self._part(attribute(fact.attribute).part, fact.attribute)
            if said is not None and MAX_READINGS.has_room(len(self._found)):
                self._found.append(reading(fact.attribute, part, said, line))
                used = True
        return Use.USED if used else Use.IGNORED

    def _part(self, kind: str, name: str) -> Part:
        """The part at this place. Where ``grep`` took the lines with port numbers away, ports are counted."""
        if kind != "port":
            return Part(kind, self._device)
        if self._port:
            return Part(kind, f"{self._device}/{self._port}")
        ports = self._filtered.setdefault(self._device, Counter())
        ports[name] += 1
        return Part(kind, f"{self._device}/{ports[name]}")
