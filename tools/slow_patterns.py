"""Which of our patterns take long for lines that somebody made for that: runs of one short text, which many of their
parts may match in many ways. `make fuzz` asks; a pattern that is named here wants its repeats told apart.

Usage: python tools/slow_patterns.py
"""

from __future__ import annotations

import pkgutil
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import product

import slowlink
from slowlink import patterns

UNITS = (
    *".-_ 1aA:=/,|'\"[(<{%\t",
    *("0 ", "a ", "a.", "a-", "a_", "1.", "1 ", "1:", "a:", "a=", "a/", "a,", " -", "a1", ". ", "--a", "a b"),
    *("n1,", "[a]", "a=b ", "1,", "A_", "- "),
)
LENGTHS = (80, 400)
HEADS = ("", "A=", "A_B=", "a: ", "a ", "1 ", "[", "(", "{", "<", '"', "'", '"a": ', "a=1 ")
LONG_UNITS = (" ", "a", "1", "a ", "1 ", "-", ".", "\t", "A", "/", "=", ",", "a=b ")
LONG = 16_000
"""Where two repeats stand side by side, a long run behind what the pattern begins with takes its square."""
SLOW_S, LONGEST_S = 0.1, 2
"""An exponential pattern does not end; what is slow is looked at twice, because other work may be under way."""


class _TooLongError(Exception):
    pass


def made() -> dict[tuple[str, int], str]:
    """Every pattern of ours, and the module that has it first."""
    found: dict[tuple[str, int], str] = {}
    original = patterns.regex

    def noted(text: str, flags: int = 0) -> re.Pattern[str]:
        found.setdefault((text, flags), str(sys._getframe(1).f_globals.get("__name__", "?")))
        return original(text, flags)

    patterns.regex = noted
    for module in pkgutil.walk_packages(slowlink.__path__, "slowlink."):
        # The scripts of the database's migrations run inside of Alembic alone, and have no patterns.
        if "__main__" not in module.name and ".migrations." not in module.name:
            import_module(module.name)
    return found


def seconds(look: Callable[[str], object], text: str) -> float:
    """Of processor time for one look; ``LONGEST_S`` where it was broken off."""
    began = time.process_time()
    signal.alarm(LONGEST_S)
    try:
        look(text)
    except _TooLongError:
        return float(LONGEST_S)
    finally:
        signal.alarm(0)
    return time.process_time() - began


def slow_ones() -> Iterator[str]:
    lines = list(long_lines())
    for (text, flags), home in made().items():
        pattern = re.compile(text, flags)
        # A search ends with the first match; what must fit the whole line looks at all ways to read what stands before.
        looks = [
            (look, f"{length} characters of {unit!r}", (unit * length)[:length] + "\x01")
            for look, length, unit in product((pattern.search, pattern.fullmatch), LENGTHS, UNITS)
        ]
        for look, what, line in (*looks, *((pattern.match, what, line) for what, line in lines)):
            taken = seconds(look, line)
            if taken > SLOW_S and (taken := min(taken, seconds(look, line))) > SLOW_S:
                yield f"{home}: {taken:.2f} s for {what}: {text[:120]}"


def long_lines() -> Iterator[tuple[str, str]]:
    """What it is, and the line."""
    for head, unit in product(HEADS, LONG_UNITS):
        yield f"{LONG} characters of {unit!r} behind {head!r}", head + (unit * LONG)[:LONG] + "\x01"


def _too_long(*_: object) -> None:
    raise _TooLongError


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, _too_long)
    slow = list(slow_ones())
    print("\n".join(slow) or "no pattern is slow")
    sys.exit(1 if slow else 0)
