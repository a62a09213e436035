"""Renders a format as the program prints it: plausible values for its conversions, and the line around the message."""

from __future__ import annotations

import re

from vocabulary_formats import VALUE, Format
from vocabulary_source import Program

WORDS: tuple[tuple[str, str], ...] = (
    (r"wc_status|wc\.status|status_str|completion", "transport retry counter exceeded"),
    (r"event_type|event_str|eventType", "local catastrophic error"),
    (
        r"strerror|errno|errstr|err_str|error_string|errorstring|geterror|fi_error|getmessage|what\(|_msg|errmsg|reason"
        r"|exception|^e$|err\b",
        "Connection timed out",
    ),
    (r"addr|peer|remote|ip\b|sockaddr|endpoint|tostring", "10.0.0.2<41331>"),
    (r"gid", "fe80::5aa2:e1ff:fe11:2233"),
    (r"host|node", "node08"),
    (r"devname|dev_name|ibdev|ib_name|device_name|hca|->name|\.name|dev->|nic", "mlx5_3"),
    (r"busid|bus_id|bdf|pci", "0000:1a:00.0"),
    (r"path|file|fname|dir|lib\b|dlname", "/usr/lib/libexample.so"),
    (r"ifname|iface|interface|netdev", "eth0"),
    (r"env|param|var|key", "NCCL_PROTO"),
    (r"func|__|opname|op_name|coll|name", "AllReduce"),
    (r"val|str|arg|input", "simple"),
)
"""A part of an argument's source text, and a value that fits it; the first that fits counts."""
NUMBERS: tuple[tuple[str, str], ...] = (
    (r"errno", "110"),
    (r"size|bytes|len|count|offset", "65536"),
    (r"status", "12"),
    (r"vendor|synd", "129"),
    (r"rank|peer", "9"),
    (r"port", "1"),
)
_CONVERSION = re.compile(
    r"%(?P<flags>[-+ #0']*)(?:\d+|\*)?(?P<precision>\.(?:\d+|\*))?(?P<length>hh|h|ll|l|z|j|t|L|q)?(?P<kind>[a-zA-Z%])|"
    + VALUE
)


def rendered(found: Format, program: Program) -> str:
    """The whole line, or block of lines, of a message."""
    text = filled(found, program).strip(" ") if program.language != "help" else filled(found, program)
    file = found.file.rsplit("/", 1)[-1] if program.base_names else found.file.removeprefix("src/")
    level = program.levels.get(found.call, program.levels.get("other", "ERROR"))
    parts = {
        "text": text,
        "file": file,
        "number": str(found.number),
        "function": found.function or "main",
        "call": found.call,
        "level": level,
        "exception": found.call.removeprefix("raise "),
    }
    line = program.raised if program.raised and found.call.startswith("raise ") else program.line
    return re.sub(r"\{(\w+)\}", lambda place: parts.get(place[1], place[0]), line)


def filled(found: Format, program: Program) -> str:
    """The message with a value for each conversion."""
    arguments = iter(found.arguments)
    text = found.text
    for conversion, printed in program.conversions.items():
        text = text.replace(conversion, printed)

    def value(match: re.Match[str]) -> str:
        if match[0] == VALUE:
            return _word(next(arguments, ""), program)
        if match["kind"] == "%":
            return "%"
        stars = match[0].count("*")
        given = [next(arguments, "") for _ in range(stars + 1)]
        return converted(match["kind"], given[-1], program)

    return _CONVERSION.sub(value, text)


def converted(kind: str, argument: str, program: Program) -> str:
    """A value for one conversion of printf."""
    if kind in "diuU":
        return next((number for part, number in NUMBERS if re.search(part, argument, re.IGNORECASE)), "3")
    if kind in "xX":
        return "1a2b"
    if kind == "o":
        return "755"
    if kind == "p":
        return "0x7f2a40001000"
    if kind in "fFgGeEaA":
        return "1.5"
    if kind == "c":
        return "x"
    return _word(argument, program)


def _word(argument: str, program: Program) -> str:
    """A value for an argument that is a text, by what its source says."""
    literal = re.match(r'.*?\?\s*"([^"]*)"', argument) or re.fullmatch(r'"([^"]*)"', argument)
    if literal is not None:
        return literal[1]
    known = (*program.values.items(), *WORDS)
    return next((value for part, value in known if re.search(part, argument, re.IGNORECASE)), "example")
