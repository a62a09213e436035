"""Lines that a node printed to what they say. Total: any text gives a result, and nothing unchecked leaves here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from slowlink.model.plan import Node
from slowlink.model.prepared import Observed, Value
from slowlink.settings.find import settings
from slowlink.settings.interface import BLIND
from slowlink.settings.prelude import PREFIX

_MOST_LINES = 100_000
_MOST_PARTS = 2048
"""Linux takes no word longer than 128 KiB, and sudo gets a script as one word: this is where it stays short."""
_MOST_WORDS = 200
_CLOCK = re.compile(r"(?:([0-9a-f-]{8,64}) )?([0-9]{1,12}) ([0-9]{1,10})")


class Done(Struct, frozen=True):
    """What happened to one item: ``set``, ``same``, ``other``, ``failed``."""

    outcome: str
    now: str
    words: str = ""


class Told(Struct, frozen=True):
    """What a node said while it was changed."""

    done: Mapping[tuple[str, str], Done]
    refused: str = ""
    """Why nothing at all was touched."""
    complete: bool = False


def read_values(node: Node, stdout: str, trouble: str, names: Sequence[str]) -> Observed:
    """The answer to ``read_script`` for these settings."""
    values: dict[tuple[str, str], Value] = {}
    missing: dict[str, str] = {}
    boot, uptime, uid, complete, refused = "", 0, None, False, ""
    for kind, rest in _lines(stdout):
        clock = _CLOCK.fullmatch(rest) if kind == "clock" else None
        if clock is not None:
            boot, uptime, uid = clock[1] or "", int(clock[2]), int(clock[3])
        elif kind == "item":
            _take(rest, names, values, missing)
        elif kind == "none" and rest.partition(" ")[0] in names:
            missing.setdefault(rest.partition(" ")[0], _shown(rest.partition(" ")[2]))
        elif kind == "refused":
            refused = _shown(rest)
        complete = complete or kind == "end"
    for name in names:
        if name not in missing and not any(known == name for known, _ in values):
            missing[name] = "no answer to this"
    if not trouble and not complete:
        trouble = refused or "it did not answer to the end"
    return Observed(node, trouble, boot, uptime, uid, tuple(values.values()), tuple(missing.items()))


def _take(rest: str, names: Sequence[str], values: dict[tuple[str, str], Value], missing: dict[str, str]) -> None:
    name, part, value, detail = (*rest.split(" "), "", "", "", "")[:4]
    if name not in names:
        return
    setting = settings()[name]
    if not re.fullmatch(setting.parts, part):
        missing.setdefault(name, f"it names a part {_shown(part)!r}, which cannot be")
    elif value != (BLIND if setting.blind else value) or not (setting.blind or re.fullmatch(setting.values, value)):
        missing.setdefault(name, f"it reads {_shown(value)!r}, which is no value of it")
    elif len(values) < _MOST_PARTS:
        values[name, part] = Value(name, part, value, _shown(detail))


def read_changes(stdout: str) -> Told:
    """The answer to ``change_script``, as far as it came."""
    done: dict[tuple[str, str], Done] = {}
    refused, complete = "", False
    for kind, rest in _lines(stdout):
        if kind == "done":
            name, part, outcome, now, words = (*rest.split(" ", 4), "", "", "", "", "")[:5]
            if outcome in ("set", "same", "other", "failed"):
                done.setdefault((name, part), Done(outcome, _shown(now), _shown(words)))
        elif kind == "refused":
            refused = _shown(rest) or "refused"
        complete = complete or kind == "end"
    return Told(done, "" if done else refused, complete)


def _lines(stdout: str) -> Iterator[tuple[str, str]]:
    """(kind, rest) of our lines; whatever a login script left on the same line comes before."""
    whole = stdout if stdout.endswith("\n") else stdout.rpartition("\n")[0]  # a line that was cut says nothing
    for count, line in enumerate(whole.split("\n")):
        if count >= _MOST_LINES:
            return
        _, found, words = line.rpartition(f"{PREFIX} ")
        if found:
            kind, _, rest = words.strip().partition(" ")
            yield kind, rest


def _shown(text: str) -> str:
    """Words of a node, bounded and on one line. Whoever shows them makes them harmless to a terminal."""
    return " ".join(text.split())[:_MOST_WORDS]
