"""What columns of hand-made tables of nodes and parts mean, and how cells are read, from ``part_columns.toml``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache

from msgspec import Struct

from slowlink.catalog.load import table
from slowlink.patterns import regex

Value = str | int | float
_BRACKETS = regex(r"[(\[][^)\]]{0,40}[)\]]")
_MARKS = regex(r"[_\-./:#*`\"'\s]{1,40}")
_CAMEL = regex(r"(?<=[a-z])(?=[A-Z])")
_LONGEST_TITLE = 60
_APART = regex(r"\s{0,3}(?:/|\bof\b|\bmax\b|\((?:max(?:imum)?:?|of)?)\s{0,3}(?=[A-Za-z]{0,3} ?\d)")
_COUNT = regex(r"(?P<number>\d{1,4})(?:\s{0,2}(?:/|of)\s{0,2}(?P<of>\d{1,4}))?")
_GEN = regex(r"(?i)(?:pcie ?)?(?:gen ?)?(?P<gen>[1-7])(?:\.0)?|(?P<speed>\d{1,2}(?:\.\d)?) ?GT/s(?: PCIe)?")
_LANES = regex(r"(?i)x?(?P<lanes>1|2|4|8|12|16|32)x?")
_LINK = regex(
    r"(?i)(?:(?:pcie ?)?(?:gen ?)?(?P<gen>[1-7])(?:\.0)?|(?P<speed>\d{1,2}(?:\.\d)?) ?GT/s),? ?x(?P<lanes>\d{1,2})"
)
_RATE = regex(
    r"(?i)(?P<rate>\d{1,6}(?:\.\d{1,2})?) ?(?P<unit>Gb/s(?:ec)?|Gbps|Gbit/s|Gb|G|Mb/s|Mbps)?"
    r"(?: ?\(\d{1,2}X [A-Z]{2,5}\d{0,3}\))?"
)
_NAMED_RATE = regex(
    r"(?i)(?:infiniband |ib )?(?P<name>SDR|DDR|QDR|FDR|EDR|HDR|HDR100|HDR200|NDR|NDR200|NDR400|XDR|XDR800)"
)
_RATES = {
    "sdr": 10.0,
    "ddr": 20.0,
    "qdr": 40.0,
    "fdr": 56.0,
    "edr": 100.0,
    "hdr": 200.0,
    "hdr100": 100.0,
    "hdr200": 200.0,
    "ndr": 400.0,
    "ndr200": 200.0,
    "ndr400": 400.0,
    "xdr": 800.0,
    "xdr800": 800.0,
}
"""Of four lanes."""
_SPEEDS = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0, 7: 128.0}
"""GT/s of the generations of PCI Express."""
_VERSION = regex(r"v?\d{1,5}(?:[._-][\w+~-]{1,40}){1,8}|\d{2,4}")
_STATES = {
    **dict.fromkeys(("active", "a", "up", "ok", "port_active", "4: active", "linkup"), "Active"),
    **dict.fromkeys(("down", "d", "port_down", "1: down", "dn", "linkdown", "no link", "no carrier"), "Down"),
    **dict.fromkeys(("init", "i", "initializing", "initialize", "port_init", "2: init"), "Init"),
    **dict.fromkeys(("armed", "port_armed", "3: armed"), "Armed"),
}
_PHYSICAL = {
    **dict.fromkeys(("linkup", "link up", "up", "5: linkup"), "LinkUp"),
    **dict.fromkeys(("polling", "2: polling"), "Polling"),
    **dict.fromkeys(("disabled", "3: disabled"), "Disabled"),
}
_LAYERS = {
    "infiniband": "InfiniBand",
    "ib": "InfiniBand",
    "ethernet": "Ethernet",
    "eth": "Ethernet",
    "roce": "Ethernet",
}


class Told(Struct, frozen=True):
    """One thing that a cell says."""

    attribute: str
    """Id in the catalogue of attributes; "" where something is counted or compared alone."""
    value: Value
    counts: str = ""
    setting: str = ""


_WORDS = (
    (regex(r"(?i)\bfw\b|firmware"), "firmware"),
    (regex(r"(?i)\bmtus?\b"), "mtu"),
    (regex(r"(?i)\bstates?\b|\bstatus\b|\bup/down\b"), "state"),
    (regex(r"(?i)\bpci-?e?\b|\bgen\b|\blanes\b"), "pcie"),
    (regex(r"(?i)\brates?\b|\bspeeds?\b|\bgb(?:it)?(?:/s|ps)\b"), "rate"),
)
"""In the line above a table: what all its cells hold."""
_OF_PORTS = ("state", "rate", "physical", "layer")
_NAMES_PART = regex(r"\b(?:ib|ports?|rdma|roce|hca|nic|active|pci|pcie|link)\b")


class Column(Struct, frozen=True):
    """What a title means."""

    attribute: str = ""
    counts: str = ""
    setting: str = ""
    read: str = ""
    both: str = ""

    def may_stand(self, kind: str, plain: str) -> bool:
        """May the column of this title be of a table of parts of this kind ("" for one of nodes alone)? What has a
        status or a rate there is only said by the title."""
        if self.read in _OF_PORTS and kind == "gpu":
            return False
        if self.attribute.startswith("pcie-") or (self.attribute.startswith("gpu-") and self.attribute != "gpu-count"):
            return kind != ""
        weak = self.read in _OF_PORTS or self.attribute == "port-mtu"
        return not weak or kind != "" or _NAMES_PART.search(plain) is not None

    def told(self, cell: str) -> tuple[Told, ...]:
        """What a cell says; nothing where it is no such value."""
        text = cell.strip('*`" \t')
        pieces = _APART.split(text, 1) if self.both and self.read != "link" else [text]
        names = (self.attribute, self.both)
        found: list[Told] = []
        for index, (name, piece) in enumerate(zip(names, pieces, strict=False)):
            values = _READERS[self.read](piece.strip().rstrip(")") if index else piece.strip())
            if values is None:
                return ()
            found += [Told(attribute or name, value, self.counts, self.setting) for attribute, value in values]
        return tuple(found)


def column_of(title: str) -> Column | None:
    """None for a title that says nothing of nodes or parts that is known."""
    return _column_of(title) if len(title) <= _LONGEST_TITLE else None


@lru_cache(1 << 12)
def _column_of(title: str) -> Column | None:
    plain = plain_title(title)
    return next((column for words, column in _columns() if words.fullmatch(plain)), None) if plain else None


def named(words: str) -> Column | None:
    """What the first word says that names what all cells of a table hold."""
    found = [(match.start(), title) for pattern, title in _WORDS if (match := pattern.search(words)) is not None]
    return column_of(min(found)[1]) if found else None


def plain_title(title: str) -> str:
    """In small letters, its marks as blanks, without what stands in brackets."""
    return _MARKS.sub(" ", _CAMEL.sub(" ", _BRACKETS.sub(" ", title))).strip().lower()


@cache
def _columns() -> tuple[tuple[re.Pattern[str], Column], ...]:
    found = []
    for each in table("words/part_columns.toml")["columns"]:
        column = Column(*(each.get(name, "") for name in ("attribute", "counts", "setting", "read", "both")))
        found.append((regex(each["words"]), column))
    return tuple(found)


_Values = tuple[tuple[str, Value], ...]
"""(attribute, or "" for the column's own, value)."""


def _count(text: str) -> _Values | None:
    found = _COUNT.fullmatch(text)
    return (("", int(found["number"])),) if found is not None else None


def _gen(text: str) -> _Values | None:
    found = _GEN.fullmatch(text)
    if found is None:
        return _link(text)
    return (("", _SPEEDS[int(found["gen"])] if found["gen"] else float(found["speed"])),)


def _lanes(text: str) -> _Values | None:
    found = _LANES.fullmatch(text)
    return (("", int(found["lanes"])),) if found is not None else None


def _link(text: str) -> _Values | None:
    """``Gen5 x16`` and ``16.0 GT/s, x8``; lanes alone only with their mark."""
    found = _LINK.fullmatch(text)
    if found is not None:
        speed = _SPEEDS[int(found["gen"])] if found["gen"] else float(found["speed"])
        return ("pcie-speed", speed), ("pcie-width", int(found["lanes"]))
    lanes = _LANES.fullmatch(text) if "x" in text.lower() else None
    return (("pcie-width", int(lanes["lanes"])),) if lanes is not None else None


def _rate(text: str) -> _Values | None:
    named = _NAMED_RATE.fullmatch(text)
    if named is not None:
        return (("", _RATES[named["name"].lower()]),)
    found = _RATE.fullmatch(text)
    if found is None:
        return None
    rate = float(found["rate"]) / (1000 if (found["unit"] or "").lower().startswith("m") else 1)
    return (("", rate),) if rate >= 1 else None


def _state(text: str) -> _Values | None:
    first, _, second = text.partition("/")
    state, physical = _STATES.get(first.strip().lower()), _PHYSICAL.get(second.strip().lower())
    if state is None or (second and physical is None):
        return None
    return (("", state), ("port-physical-state", physical)) if physical is not None else (("", state),)


def _physical(text: str) -> _Values | None:
    found = _PHYSICAL.get(text.lower())
    return (("", found),) if found is not None else None


def _layer(text: str) -> _Values | None:
    found = _LAYERS.get(text.lower())
    return (("", found),) if found is not None else None


def _number(text: str) -> _Values | None:
    return (("", int(text)),) if text.isdecimal() and len(text) <= 6 else None


def _version(text: str) -> _Values | None:
    return (("", text),) if _VERSION.fullmatch(text) else None


def _word(text: str) -> _Values | None:
    return (("", text),) if text.isalpha() and len(text) <= 20 else None


def _model(text: str) -> _Values | None:
    return (("", text),) if 2 <= len(text) <= 60 and any(map(str.isalpha, text)) else None


_READERS: Mapping[str, Callable[[str], _Values | None]] = {
    "count": _count,
    "gen": _gen,
    "lanes": _lanes,
    "link": _link,
    "rate": _rate,
    "state": _state,
    "physical": _physical,
    "layer": _layer,
    "number": _number,
    "version": _version,
    "word": _word,
    "model": _model,
}
