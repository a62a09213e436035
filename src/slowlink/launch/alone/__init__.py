"""A program that every node runs by itself, over the way by which nodes are asked: its script, and how it ended there.

What the program prints is the answer's standard output as it is. How it ended stands in the answer's standard error, in
a line of ours: ssh's own exit status could mean the way as well as the program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from slowlink.quoting import assignments, quote


class AloneEnd(Struct, frozen=True):
    """How the program ended on one node."""

    status: int | None
    """As its shell saw it: above 128 is a signal. None: its end was not heard."""
    stderr: str
    """What the program itself printed there."""


def alone_script(argv: Sequence[str], env: Mapping[str, str], mark: str) -> str:
    """What the node's shell runs; its standard input must stay open until it may end. ``mark``: a random word."""
    exports = [f"    export {assignment}" for assignment in assignments(env)]
    variables = "\n".join(["own_variables() {", "    :", *exports, "}"])
    script = Path(__file__).with_name("node.sh").read_text(encoding="utf-8")
    return f"MARK={quote([mark])}\n{variables}\nset -- {quote(argv)}\n{script}"


def alone_end(stderr: str, mark: str) -> AloneEnd:
    """Total: any text gives an answer. The program's own last line may have no end: ours stands behind it then."""
    ends = re.findall(rf"{re.escape(mark)} ended (\d{{1,3}})$", stderr, re.MULTILINE)
    rest = re.sub(rf"{re.escape(mark)} ended \d{{1,3}}$\n?", "", stderr, flags=re.MULTILINE)
    return AloneEnd(int(ends[-1]) if ends else None, rest)
