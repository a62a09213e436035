"""Values that differ from node to node by nature, so that no node is odd for them: addresses, times, loads."""

from __future__ import annotations

from slowlink.patterns import regex

_NAMES = (
    r"(?i:temp|uptime|\bup\b|load|free|used|avail|\bpids?\b|serial|uuid|guid|\bmac\b|addr|\binet|date|\btime|power|watt|fan"
    r"|util|usage|clock|\b[rt]x\b|packets?|bytes|busid|bus-id|\bseq|\blid\b|gid|hostname|nodename|user|session|login"
    r"|\bip\b|hash|token|key|seed|rank|elapsed|duration|latency|bandwidth|busbw|algbw|throughput|gb/s|gbps|\bms\b|\bus\b)"
)
_ADDRESS = r"\d{1,3}(?:\.\d{1,3}){3}"
_SHAPES = (
    r"\d\d:\d\d|(?:[0-9a-fA-F]{2}:){3}|[0-9a-fA-F]{12}|0x[0-9a-fA-F]{6}|\d{4}-\d\d-\d\d"
    r"|\d ?(?:C|W|MiB|GiB|kB|MB|%|rpm|MHz)\b"
)
_LINE = regex(rf"{_NAMES}|{_ADDRESS}|{_SHAPES}")
_NAME = regex(_NAMES)
_VALUE = regex(rf"{_SHAPES}|^{_ADDRESS}(?:/\d{{1,2}})?$")


def varies(line: str) -> bool:
    """Does a line hold such a value, or the name of one?"""
    return _LINE.search(line) is not None


def varies_by_name(name: str) -> bool:
    """Is this the name of one?"""
    return _NAME.search(name) is not None


def varies_by_shape(value: str) -> bool:
    """Does this alone look like one? A version may look like an address with something around it."""
    return _VALUE.search(value) is not None
