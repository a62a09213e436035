"""The loop that ran a test of perftest over devices or partners, and what its command says of each run::

    for d in 0 1 2 3; do ib_write_bw -d mlx5_$d -s 1048576 -q 4 --report_gbits -F a10 | tail -1; done

What is printed below it stands in the order of its words. A command outside of a loop says of the table below it what
its header would have said, where somebody let only the table through.
"""

from __future__ import annotations

from msgspec import Struct

from slowlink.patterns import regex

_FOR = regex(r".{0,200}?\bfor (?P<name>[A-Za-z_]\w{0,60}) in (?P<words>[^;$`\n]{1,400});\s{0,8}do\b(?P<body>.{0,2000})")
_COMMAND = regex(r".{0,400}?\bib_(?P<verb>write|read|send)_bw(?P<arguments>(?: -.{0,1600})?)$")
_DEVICE = regex(r"(?:^| )(?:-d ?|--ib-dev[ =])['\"]?(?P<device>[\w$\{\}.-]{1,80})")
_QPS = regex(r"(?:^| )(?:-q ?|--qp[ =])(?P<qps>\d{1,5})\b")
_BOTH_WAYS = regex(r"(?:^| )(?:-[A-Za-z]{0,6}b[A-Za-z]{0,6}|--bidirectional)(?: |$)")
_ON_GPU = regex(r"(?:^| )--use_(?P<kind>cuda|rocm|maca|musa)\b")
_RANGE = regex(r"(?P<front>[\w.-]{0,40})\{(?P<first>\d{1,4})\.\.(?P<last>\d{1,4})\}(?P<behind>[\w.-]{0,40})")
_ANY_COMMAND = regex(
    r"(?:.{0,400}?[\s;&|'\"(/])?ib_(?P<verb>write|read|send)_(?P<kind>bw|lat)(?P<arguments> -[^|;&\n]{0,400})"
    r"(?:[|;&].{0,400})?$"
)
_TITLES = {"write": "RDMA_Write", "read": "RDMA_Read", "send": "Send"}
_MOST_WORDS = 256


class Told(Struct, frozen=True):
    """What a command says of its test."""

    test: str
    both_ways: bool
    qps: str
    gpu_memory: str
    devices: tuple[str, ...]
    """One for each turn of the loop; one alone where it names the same in all; none where it names none."""
    turns: tuple[str, ...]
    """The words of the loop; none where there is no loop."""


class Named(Struct, frozen=True):
    """What a command outside of a loop says of its one test."""

    test: str
    kind: str
    """``bandwidth`` or ``latency``."""
    device: str


def may_name(text: str) -> bool:
    """Could the line hold a command of one test?"""
    return "ib_" in text and "; do" not in text and _ANY_COMMAND.match(text) is not None


def read_named(text: str) -> Named | None:
    """The test of a command line; None where it names no device, or several."""
    found = _ANY_COMMAND.match(text)
    device = _DEVICE.search(found["arguments"]) if found is not None else None
    if found is None or device is None or "$" in device["device"]:
        return None
    latency = found["kind"] == "lat"
    both = "Bidirectional " if not latency and _BOTH_WAYS.search(found["arguments"]) is not None else ""
    test = f"{_TITLES[found['verb']]} {both}{'Latency' if latency else 'BW'}"
    return Named(test, "latency" if latency else "bandwidth", device["device"])


def may_say(text: str) -> bool:
    """Could the line hold a loop, or a command of a bandwidth test?"""
    return ("; do" in text or "_bw " in text) and (_FOR.match(text) is not None or _COMMAND.match(text) is not None)


def read_loop(text: str) -> tuple[str, tuple[str, ...], str] | None:
    """(variable, words, what stands behind ``do``) of a loop; None where the line is no such."""
    found = _FOR.match(text)
    if found is None:
        return None
    words = tuple(each for word in found["words"].split() for each in _spread(word))
    return (found["name"], words, found["body"]) if 0 < len(words) <= _MOST_WORDS else None


def read_command(text: str, variable: str, words: tuple[str, ...]) -> Told | None:
    """What the command of a test says, in a loop over these words; None where the line holds none."""
    found = _COMMAND.match(text)
    if found is None:
        return None
    arguments = found["arguments"].partition("|")[0]
    device = _DEVICE.search(arguments)
    name = device["device"] if device is not None else ""
    of_each = tuple(_with(name, variable, word) for word in words) if "$" in name else (name,)
    qps, on_gpu = _QPS.search(arguments), _ON_GPU.search(arguments)
    both = _BOTH_WAYS.search(arguments) is not None
    return Told(
        test=f"{_TITLES[found['verb']]} {'Bidirectional ' if both else ''}BW",
        both_ways=both,
        qps=qps["qps"] if qps is not None else "",
        gpu_memory=on_gpu["kind"] if on_gpu is not None else "",
        devices=of_each if all(each and "$" not in each for each in of_each) else (),
        turns=words,
    )


def _with(name: str, variable: str, word: str) -> str:
    return name.replace(f"${{{variable}}}", word).replace(f"${variable}", word)


def _spread(word: str) -> tuple[str, ...]:
    """``mlx5_{0..3}`` as four words."""
    found = _RANGE.fullmatch(word)
    if found is None:
        return (word,)
    first, last = int(found["first"]), int(found["last"])
    if not first <= last < first + _MOST_WORDS:
        return (word,)
    return tuple(f"{found['front']}{number}{found['behind']}" for number in range(first, last + 1))
