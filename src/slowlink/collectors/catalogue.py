"""Every collector: a small shell script in a folder of this package, whose first comments say what it is.

# title: GPUs, as nvidia-smi sees them
# needs: nvidia-smi                 (programs; all must be there; a|b: one of the two is enough)
# about: nvidia-gpu                 (optional: the part that a node must have for the answer to mean anything)
# timeout: 20                       (seconds)
# when: always                      (always, sampled, fabric or asked)
# root: better                      (optional: needed, or better: more of it is seen as root)
# also: LEVEL 1=120 3=3600          (optional: a variable, and values for each of which there is a collector of its own,
#                                   NAME-1, NAME-3, with its timeout; the title holds the value as $LEVEL)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from slowlink.errors import SlowlinkError
from slowlink.patterns import regex

ABOUT = ("nvidia-gpu", "amd-gpu", "metax-gpu", "mthreads-gpu", "hca")
WHEN = ("always", "sampled", "fabric", "asked")
_LINE = regex(r"#[ \t]*(title|needs|about|timeout|when|root|also):[ \t]*([^\n]{0,200})")
_ALSO = regex(r"([A-Z]{1,20})((?: [a-z0-9]{1,20}=[0-9]{1,5}){1,10})")
_LONGEST_S = 4 * 3600
_NAME = regex(r"[a-z0-9][a-z0-9-]{0,63}")
_NEED = regex(r"[\w.+-]{1,64}(?:\|[\w.+-]{1,64}){0,7}")


_OTHER_NAMES = {"dcgm": "dcgmi-diag", "eud": "dcgmi-diag-eud", "azure-nhc": "nhc-azure"}


class Collector(Struct, frozen=True):
    """One question to a node."""

    name: str
    title: str
    text: str
    """The script, for ``sh``."""
    needs: tuple[str, ...] = ()
    """Programs; ``a|b`` where one of them is enough."""
    timeout_s: int = 20
    when: str = "always"
    """``always``; ``sampled``: at the start and again at the end; ``fabric``: on one node for all; ``asked``: only
    when it is named."""
    root: str = ""
    """``needed``, ``better``, or nothing."""
    about: str = ""
    """The part without which a node has nothing to answer, or nothing."""
    variant: bool = False
    """Only under its whole name: another value of what the one beside it asks."""


@cache
def all_collectors() -> tuple[Collector, ...]:
    """By name. Raises ValueError for one whose header is wrong: our defect."""
    files = Path(__file__).parent.glob("*/*.sh")
    found = [each for file in files for each in collectors(file.stem, file.read_text(encoding="utf-8"))]
    return tuple(sorted(found, key=lambda each: each.name))


def collectors(name: str, text: str) -> list[Collector]:
    """The one that a file holds, and its variants. Raises ValueError."""
    first = collector(name, text)
    header = next((known[2] for line in text.splitlines() if (known := _LINE.match(line)) and known[1] == "also"), "")
    if not header:
        return [first]
    also = _ALSO.fullmatch(header.strip())
    if also is None:
        raise ValueError(f"collector {name}: its variants are wrong")
    variants = []
    for word in also[2].split():
        value, _, timeout = word.partition("=")
        own = re.sub(rf"^{also[1]}=.*$", f"{also[1]}={value}", text, count=1, flags=re.MULTILINE)
        own = re.sub(r"^(# timeout:).*$", rf"\1 {timeout}", own, count=1, flags=re.MULTILINE)
        variant = collector(f"{name}-{value}", own)
        variants.append(replace(variant, title=variant.title.replace(f"${also[1]}", value), variant=True))
    default = re.search(rf"^{also[1]}=(\w+)$", text, re.MULTILINE)
    shown = default[1] if default is not None else ""
    return [replace(first, title=first.title.replace(f"${also[1]}", shown)), *variants]


def collector(name: str, text: str) -> Collector:
    """Read one. Raises ValueError."""
    header: dict[str, str] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        known = _LINE.match(line)
        if known is not None:
            header[known[1]] = known[2].strip()
    needs = tuple(word for word in re.split(r"[,\s]", header.get("needs", "")) if word)
    timeout, when, root = header.get("timeout", "20"), header.get("when", "always"), header.get("root", "")
    about = header.get("about", "")
    for right, what in (
        (_NAME.fullmatch(name) is not None, "its name"),
        (bool(header.get("title")), "its title"),
        (all(_NEED.fullmatch(need) for need in needs), "what it needs"),
        (timeout.isdecimal() and 0 < int(timeout) <= _LONGEST_S, "its timeout"),
        (when in WHEN, "when it runs"),
        (about in ("", *ABOUT), "what it is about"),
        (root in ("", "needed", "better"), "what root is to it"),
    ):
        if not right:
            raise ValueError(f"collector {name}: {what} is wrong")
    return Collector(name, header["title"], text, needs, int(timeout), when, root, about)


def chosen(
    asked: Sequence[str] = (),
    only: Sequence[str] = (),
    *,
    fabric: bool = False,
    known: Sequence[Collector] | None = None,
) -> tuple[Collector, ...]:
    """Those that a snapshot runs. ``asked`` adds by name (``dcgm`` stands for all ``dcgm-...``); ``only`` takes these
    and no others. Raises SlowlinkError (``unknown-collector``)."""
    known = all_collectors() if known is None else known
    if only:
        wanted = {each.name for name in only for each in _named(name, known)}
        return tuple(each for each in known if each.name in wanted)
    added = {each.name for name in asked for each in _named(name, known)}
    whens = {"always", "sampled", "fabric"} if fabric else {"always", "sampled"}
    return tuple(each for each in known if each.when in whens or each.name in added)


def _named(name: str, known: Sequence[Collector]) -> list[Collector]:
    names = {each.name for each in known}
    name = _OTHER_NAMES[name] if name in _OTHER_NAMES and _OTHER_NAMES[name] in names else name
    exact = [each for each in known if each.name == name]
    found = exact + [each for each in known if each.name.startswith(f"{name}-") and not each.variant]
    if found:
        return found
    from difflib import get_close_matches

    near = get_close_matches(name, [each.name for each in known], n=1)
    raise SlowlinkError(
        f"there is no collector {name[:80]!r}",
        hint=f"did you mean {near[0]}?" if near else "slowlink snapshot --list shows them all",
        slug="unknown-collector",
    )
