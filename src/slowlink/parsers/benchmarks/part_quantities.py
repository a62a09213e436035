"""What a heading, a command or a unit says that numbers are: bandwidth, compute throughput or a time."""

from __future__ import annotations

from msgspec import Struct

from slowlink.patterns import regex


class Quantity(Struct, frozen=True):
    """A kind of amount in one unit."""

    kind: str
    """``bandwidth``, ``compute`` or ``time``."""
    factor: float
    """To GB/s, TFLOP/s or ms."""


_UNITS = {
    "gb/s": Quantity("bandwidth", 1.0),
    "gib/s": Quantity("bandwidth", 1.073741824),
    "mb/s": Quantity("bandwidth", 1e-3),
    "gbit/s": Quantity("bandwidth", 0.125),
    "tflop/s": Quantity("compute", 1.0),
    "gflop/s": Quantity("compute", 1e-3),
    "pflop/s": Quantity("compute", 1e3),
    "ms": Quantity("time", 1.0),
    "us": Quantity("time", 1e-3),
}
_SPELLINGS = regex(
    r"(?<![A-Za-z\d])(?<!\d )(?:(?P<bits>G(?:b|bit|bits)(?:/s(?:ec)?|ps))|(?P<bytes>(?:GB|GiB|MB)(?:/s(?:ec)?|ps))"
    r"|(?P<flops>[TGP]F(?:LOP|lop)(?:/?[Ss]|ps)?(?:/s)?)|(?P<time>(?<=[ (])(?:ms|msec|us|usec)|µs))(?![A-Za-z])"
)
_TRAFFIC = regex(r"(?i)\b(?:rx|tx|traffic|rcv|recv|xmit|received|sent|in use|utili[sz]ation)\b")
"""What passes at a moment is what somebody sends, and no test of what a part can do."""
_SIGNS = ("/s", "ps", "flop", " ms", "(ms", " us", "(us", "µs", "bw", "_perf")
"""In small letters, one of them stands in each text that names a quantity: a cheap test before any pattern."""
_BUS = regex(r"(?i)\bbus ?_?bw\b")
_NCCL_TESTS = regex(r"\b(?:all_reduce|all_gather|reduce_scatter|alltoall|sendrecv|broadcast|reduce)_perf\b")
_PERFTEST = regex(r"\bib_(?:write|read|send)_bw\b")
_IN_BITS = regex(r"--report_gbits\b")


def quantity_of_unit(unit: str) -> Quantity | None:
    """None for any other unit."""
    found = _SPELLINGS.fullmatch(f" {unit}", 1)
    return _UNITS[_spelled(found.lastgroup or "", found[0])] if found is not None else None


def quantities_of(text: str) -> tuple[Quantity, ...]:
    """All that a heading or a command names, each once; units that it prints count before names of tests. A unit behind
    a number is that of an amount, and no heading; traffic was measured at no part's limit."""
    small = text.lower()
    if not any(sign in small for sign in _SIGNS) or _TRAFFIC.search(text):
        return ()
    units = [_UNITS[_spelled(found.lastgroup or "", found[0])] for found in _SPELLINGS.finditer(text)]
    if not units and (_BUS.search(text) or _NCCL_TESTS.search(text)):
        units = [_UNITS["gb/s"]]
    if not units and _PERFTEST.search(text):
        units = [_UNITS["gbit/s" if _IN_BITS.search(text) else "mb/s"]]
    return tuple(dict.fromkeys(units))


def _spelled(group: str, text: str) -> str:
    if group == "time":
        return "ms" if text.startswith("ms") else "us"
    if group == "flops":
        return f"{text[0].lower()}flop/s"
    if group == "bits":
        return "gbit/s"
    return {"GB": "gb/s", "Gi": "gib/s", "MB": "mb/s"}[text[:2]]
