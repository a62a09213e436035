"""Host files: Open MPI's ``node01 slots=4``, MPICH's ``node01:4``, plain names; read all three, write each."""

from __future__ import annotations

import re

from slowlink.errors import SlowlinkError
from slowlink.launch.layout import Share
from slowlink.model.plan import Allocation, Node

_MAX_BYTES = 16 << 20
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}")
_SLOT_WORDS = ("slots", "cpu", "count")


def parse_hostfile(text: str, source: str) -> Allocation:
    """Nodes in the order of the file; a host that is repeated adds up its slots, as Open MPI counts it.

    Raises SlowlinkError with the line for what cannot be read, and for a file without a host.
    """
    slots: dict[str, int | None] = {}
    for number, raw in enumerate(text[:_MAX_BYTES].splitlines(), 1):
        words = raw.partition("#")[0].split()
        if not words:
            continue
        where = f"{source}:{number}"
        names, count = _hosts(words[0], where)
        for word in words[1:]:
            count = _option(word, where, count)
        for name in names:
            before = slots.get(name)
            # A plain name that is repeated stands for one slot each time.
            slots[name] = count if name not in slots else (before or 1) + (count or 1)
    if not slots:
        raise SlowlinkError(f"{source} names no host", hint="one host a line: node01 slots=4", slug="no-nodes")
    return Allocation(tuple(Node(name, slots=count) for name, count in slots.items()), basis=f"hostfile {source}")


def _hosts(word: str, where: str) -> tuple[list[str], int | None]:
    """The first word of a line: a name, ``name:slots``, or a node set."""
    from slowlink.nodes import expand

    name, colon, count = word.rpartition(":")
    if not colon:
        name, count = word, ""
    if colon and not (count.isascii() and count.isdecimal() and len(count) < 7):
        raise _unreadable(where, word)
    names = expand(name) if "[" in name else [name]
    if not names or not all(_NAME.fullmatch(each) for each in names):
        raise _unreadable(where, word)
    return names, int(count) if colon else None


def _option(word: str, where: str, count: int | None) -> int | None:
    key, equals, value = word.partition("=")
    if not equals:
        raise _unreadable(where, word)
    if key in _SLOT_WORDS:
        if not (value.isascii() and value.isdecimal() and len(value) < 7):
            raise _unreadable(where, word)
        return int(value)
    # max_slots= of Open MPI, ifhn= and binding= of MPICH say nothing about which node it is.
    return count


def _unreadable(where: str, word: str) -> SlowlinkError:
    return SlowlinkError(
        f"{where}: cannot read {word[:80]!r}",
        hint="one host a line: 'node01 slots=4' (Open MPI), 'node01:4' (MPICH) or 'node01'",
        slug="bad-hostfile",
    )


def target(node: Node) -> str:
    """What to connect to: names of clouds are often known to nobody but the cloud."""
    return node.address or node.name


def openmpi_hostfile(shares: tuple[Share, ...]) -> str:
    """As Open MPI reads it: slots are exactly the ranks of the node, so that filling by slot keeps the layout."""
    return "".join(f"{target(share.node)} slots={share.ranks}\n" for share in shares)


def hydra_hostfile(shares: tuple[Share, ...]) -> str:
    """As MPICH and Intel MPI read it."""
    return "".join(f"{target(share.node)}:{share.ranks}\n" for share in shares)
