"""Node sets: ``node[01-16]``, the notation of the field. The only module that imports ClusterShell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from slowlink.errors import SlowlinkError

_MOST_NODES = 100_000
_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,255}")
_TERM = re.compile(r"(?:[^,\[]|\[[^\]]*\]?)+")
_NUMBERED = re.compile(r"([^0-9]+)([0-9]{1,18})([^0-9]*)")
"""A name with one number in it."""
_GROUP = re.compile(r"\[([^\]]*)")
_NUMBER = re.compile(r"[0-9]+")
_RANGE = re.compile(r"([0-9]{1,18})-([0-9]{1,18})")


def expand(text: str) -> list[str]:
    """``node[01-03],login`` to names, each once, in the order given.

    Groups (``@gpu``) are not looked up: that runs shell commands of the site's configuration with our words in them.
    Raises SlowlinkError for a notation that cannot be read and for more than 100,000 nodes.
    """
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException

    terms = _TERM.findall(text)
    _refuse_huge(text, terms)
    # Set operations (! & ^) join terms; without them each term is read alone, because a whole set would be sorted.
    parts = [text] if re.search(r"[!&^]", text) else terms
    try:
        return list(dict.fromkeys(name for part in parts for name in NodeSet(part, resolver=RESOLVER_NOGROUP)))
    # Some broken ranges ([----]) end in a plain ValueError there.
    except (NodeSetException, ValueError) as error:
        raise SlowlinkError(
            f"cannot read the node set '{text}': {error}", hint="for instance node[01-16] or a,b,c", slug="bad-node-set"
        ) from error


def _refuse_huge(text: str, terms: list[str]) -> None:
    """A slip such as ``node[1-10000000000]`` would fill the memory before anybody could count it."""
    if sum(map(_count, terms)) > _MOST_NODES or any(len(number) > 18 for number in _NUMBER.findall(text)):
        raise SlowlinkError(
            f"the node set '{text[:80]}' has more than {_MOST_NODES:,} nodes",
            hint="for instance node[01-16] or a,b,c",
            slug="bad-node-set",
        )


def _count(term: str) -> int:
    nodes = 1
    for group in _GROUP.findall(term):
        nodes *= max(1, sum(abs(int(end) - int(begin)) + 1 for begin, end in _RANGE.findall(group)))
    return nodes


def fold(names: Iterable[str]) -> str:
    """Names to ``node[01-03,7]``; what is not plainly a name (logs name nodes) stays as it is, joined by commas."""
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException

    names = list(names)
    if not all(map(_NAME.fullmatch, names)):
        return ",".join(names)
    try:
        return str(NodeSet.fromlist(_grouped(names), resolver=RESOLVER_NOGROUP))
    except (NodeSetException, ValueError):
        return ",".join(names)


def _grouped(names: Iterable[str]) -> Iterator[str]:
    """The same names with those that differ in one number joined to ``node[1,2,7]``: reading one set costs a
    third of reading its names."""
    numbers: dict[tuple[str, str], dict[str, None]] = {}
    for name in dict.fromkeys(names):
        found = _NUMBERED.fullmatch(name)
        if found is None:
            yield name
        else:
            numbers.setdefault((found[1], found[3]), {})[found[2]] = None
    for (before, after), alike in numbers.items():
        yield f"{before}[{','.join(alike)}]{after}" if len(alike) > 1 else f"{before}{next(iter(alike))}{after}"
