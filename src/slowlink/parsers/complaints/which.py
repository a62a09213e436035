"""Which one it is: a bus id, a device, a number, a switch, a node."""

from __future__ import annotations

import re

from slowlink.patterns import regex

_NAMES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\w.:])((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?![\w.])",
        r"(?<![\w.])((?:mlx[45]|bnxt_re|irdma|ionic|hfi1|efa|rocep\w{1,12}|ibp\w{1,12})_?\w{0,12}\d(?:/\d)?)(?!\w)",
        r"(?<![a-z0-9.])(gpu[ #:_-]{0,2}\d{1,4})(?!\w)",
        r"(?<![\w.])(ib\d{1,2})(?!\w)",
        r"\bdimm[ _]([a-z]?\d{1,2}|\w{2,16}\d)(?!\w)",
        r"\bswitch ((?!is\b|has\b)[a-z][\w.-]{0,60}\d[\w.-]{0,20}\w|[a-z]{1,20}-?\d{1,4})",
        r"\bnode ([a-z][\w.-]{0,60}\d[\w.-]{0,20})(?!\w)",
        r"^\W{0,3}(?:health\w*: )?([a-z][a-z-]{0,20}\d{1,5}) ?(?:[:|]|(?=is ))",
        r"\b((?:node|host|tray|port|link|leaf|spine)[ -]?\d{1,5})(?!\w)",
    )
)
_NODE = regex(
    r"(?i)\b(?:node|host|server|worker)s? ([a-z][\w.-]{0,60}\d[\w.-]{0,20})(?![\w/]|[.:]\w)"
    r"|\bon ((?!gpu[ #:_-]?\d|mlx|port|link|ib\d|dimm)[a-z][\w.-]{0,60}\d[\w.-]{0,20})(?![\w/]|[.:]\w)"
)


def name_in(text: str) -> str:
    """The first name of the most telling kind; "" where the line names none."""
    for pattern in _NAMES:
        found = pattern.search(text)
        if found is not None:
            return found[1].rstrip(".:-")
    return node_in(text) or ""


def node_in(text: str) -> str | None:
    """The node that a sentence names (``on worker-17``)."""
    found = _NODE.search(text)
    return (found[1] or found[2]).rstrip(".:-,") if found is not None else None
