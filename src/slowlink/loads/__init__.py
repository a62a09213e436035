"""Loads that an experiment puts on nodes: small programs of shell that work until nobody holds their standard input.

A load is a file here, found by being there, with a function ``load`` that does its work once, or for a while, and is
called again and again; ``load_check`` says why it cannot work, and ``load_clean`` takes away what it left.
``around.sh`` starts so many of them, says when they work, and ends them: when it is told to, when its standard input
ends, and when its time is over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from slowlink.errors import SlowlinkError
from slowlink.quoting import assignments, quote

_HERE = Path(__file__).parent
_AROUND, _SWITCH = "around.sh", "switch.sh"
_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_ENDED = re.compile(r"^(?:(\d+)m)?(\d+(?:\.\d+)?)s (?:(\d+)m)?(\d+(?:\.\d+)?)s$", re.MULTILINE)


@cache
def loads() -> dict[str, str]:
    """Name -> what it does, in words: the first line of its file."""
    found = {}
    for path in sorted(_HERE.glob("*.sh")):
        if path.name not in (_AROUND, _SWITCH):
            title = _TITLE.search(path.read_text(encoding="utf-8"))
            found[path.stem.replace("_", "-")] = title[1] if title else ""
    return found


def parse_load(text: str) -> tuple[str, str]:
    """``cpu:4`` is the load ``cpu`` with its amount; "" where none is given. Raises SlowlinkError."""
    name, _, amount = text.partition(":")
    if name not in loads() or not _NAME.fullmatch(name) or (amount and not re.fullmatch(r"[\w.-]{1,40}", amount)):
        raise SlowlinkError(
            f"there is no load '{text}'",
            hint=f"one of {', '.join(loads())}; cpu:4 is four of them",
            slug="no-such-load",
        )
    if amount and name not in _AMOUNT_IS_A_WORD and not re.fullmatch(r"[1-9]\d{0,3}", amount):
        raise SlowlinkError(f"'{amount}' is no number of processes", hint=f"for instance {name}:4", slug="no-such-load")
    return name, amount


_AMOUNT_IS_A_WORD = ("dcgm-diag",)
"""What stands behind the colon is handed on: the level or the name of a test."""


def load_script(name: str, amount: str, mark: str, longest_s: float, settings: Mapping[str, str]) -> str:
    """What a node's shell reads. ``mark``: a random word. ``settings``: further variables of the script."""
    own = {"MARK": mark, "AMOUNT": amount, "LONGEST": f"{longest_s:.0f}", **settings}
    load = (_HERE / f"{name.replace('-', '_')}.sh").read_text(encoding="utf-8")
    around = (_HERE / _AROUND).read_text(encoding="utf-8")
    return "".join(f"{line}\n" for line in assignments(own)) + load + around


def switch_script(on: tuple[str, ...], off: tuple[str, ...], mark: str) -> str:
    """Runs the command ``on``, waits until nobody holds its standard input, and runs ``off``."""
    around = (_HERE / _SWITCH).read_text(encoding="utf-8")
    return f"MARK={quote([mark])}\nswitch_on() {{ {quote(on)}; }}\nswitch_off() {{ {quote(off)}; }}\n{around}"


def ready_line(mark: str) -> str:
    """What a script prints when it works."""
    return f"{mark} ready"


def processor_seconds(stdout: str, mark: str) -> float | None:
    """What a load has taken of processors, as its shell tells at its end; None where it does not."""
    _, found, rest = stdout.rpartition(f"{mark} ended\n")
    times = _ENDED.findall(rest) if found else []
    if not times:
        return None
    minutes, seconds, more_minutes, more_seconds = times[-1]
    return 60 * float(minutes or 0) + float(seconds) + 60 * float(more_minutes or 0) + float(more_seconds)
