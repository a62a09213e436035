"""Node sets: ``node[01-16]``, the notation of the field. The only module that imports ClusterShell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from slowlink.errors import SlowlinkError
from slowlink.patterns import regex

_MOST_NODES = 100_000
_FEW_NAMES = 64
_WORD = regex(r"[\w.-]*[\w-]")
_MARK = "\x02"
"""Stands in no name."""
_BESIDE = regex(r"(?<=[0-9])(?=\[)|(?<=\])(?=[0-9])")
_OPERATION = regex(r"([,!&^])((?:[^,!&^\[]|\[[^\]]*\]?)+)")
_NAME = regex(r"[A-Za-z0-9_.:-]{1,255}")
_TERM = regex(r"(?:[^,\[]|\[[^\]]*\]?)+")
_NUMBERED = regex(r"([^0-9]+)([0-9]{1,18})([^0-9]*)")
"""A name with one number in it."""
_GROUP = regex(r"\[([^\]]*)")
_NUMBERS = r"[0-9]{1,18}(?:-[0-9]{1,18}(?:/[0-9]{1,9})?)?"
_RANGES = regex(rf"{_NUMBERS}(?:,{_NUMBERS})*")
"""What a bracket may hold. Python's ``int`` would take ``9_999_999``, blanks, signs and digits of other scripts, too,
and ClusterShell asks it: what nobody counted would fill the memory."""
_GROUPS = regex(r"@[A-Za-z0-9_][A-Za-z0-9_.:-]{0,80}")
_NUMBER = regex(r"[0-9]+")
_RANGE = regex(r"([0-9]{1,18})-([0-9]{1,18})")
_ONE_RANGE = regex(
    r"(?P<head>[A-Za-z_](?:[\w.-]{0,250}[A-Za-z_.-])?)\[(?P<first>[0-9]{1,9})-(?P<last>[0-9]{1,9})\](?P<tail>[A-Za-z_.-]{0,250})",
    re.ASCII,
)
"""What nearly every set is; to count is a tenth of the work of a set."""


def without_names(text: str, names: Iterable[str], instead: str) -> str:
    """``text`` with ``instead`` in place of each name. Of many names only whole words are looked for: a text that holds
    ten thousand of them would be searched ten thousand times."""
    found = {name for name in names if name}
    if len(found) > _FEW_NAMES:
        return _WORD.sub(lambda word: instead if word[0] in found else word[0], text)
    for name in sorted(found, key=len, reverse=True):
        text = text.replace(name, instead)
    return text


def expand(text: str, most: int = _MOST_NODES, *, groups: bool = False) -> list[str]:
    """``node[01-03],login`` to names, each once, in the order given.

    ``groups``: look up ``@gpu``. That runs shell commands of the site's configuration with these words in them, so it
    is for what somebody typed, never for what a log says. Raises SlowlinkError for a notation that cannot be read and
    for more than ``most`` nodes.
    """
    terms = _TERM.findall(text)
    _refuse_huge(text, terms, most)
    if (counted := _counted(text)) is not None:
        return counted
    from ClusterShell.NodeSet import NodeSetException
    from ClusterShell.NodeUtils import GroupResolverError

    if groups and not all(map(_GROUPS.fullmatch, re.findall(r"@[^,!&^\[\]]*", text))):
        raise SlowlinkError(f"cannot read the group in '{text[:80]}'", hint="for instance @gpu", slug="bad-node-set")
    try:
        return _joined(text, groups)
    # Some broken ranges ([----]) end in a plain ValueError there, and groups of a site that has no such source or no
    # sound configuration in an error of their own.
    except (NodeSetException, GroupResolverError, ValueError) as error:
        raise SlowlinkError(
            f"cannot read the node set '{text[:80]}': {str(error)[:200]}",
            hint="for instance node[01-16] or a,b,c",
            slug="bad-node-set",
        ) from error


def expand_or_none(text: str, most: int = _MOST_NODES) -> list[str] | None:
    """The same of what a stranger wrote; None for a notation that cannot be read and for more than ``most`` nodes."""
    try:
        return expand(text, most)
    except SlowlinkError:
        return None


class NodeLists:
    """The node sets of one input. An input may name as many as it has lines, so a set that is named again is not read
    again, and together they have no more than ``most`` names."""

    def __init__(self, most: int, most_in_one: int) -> None:
        self._left, self._most_in_one = most, most_in_one
        self._known: dict[str, tuple[str, ...] | None] = {}

    def names(self, text: str) -> tuple[str, ...] | None:
        """The names of a set; None for what is no set, one that is too large, or one too many."""
        if text not in self._known and self._left > 0:
            names = expand_or_none(text, min(self._left, self._most_in_one))
            self._left -= len(names or ("",))
            self._known[text] = None if names is None else tuple(names)
        return self._known.get(text)


def _joined(text: str, groups: bool) -> list[str]:
    """Terms with the operations between them, from left to right. Raises NodeSetException and ValueError."""
    found: dict[str, None] = {}
    operations = _OPERATION.findall(f",{text}") if text.strip() else []
    if _MARK in text or (operations and "".join(map("".join, operations)) != f",{text}"):
        raise ValueError("an operation lacks one of its sides")
    for operation, term in operations:
        names = dict.fromkeys(_names(term, groups))
        if operation == ",":
            found |= names
        elif operation == "&":
            found = {name: None for name in found if name in names}
        else:
            others = {} if operation == "!" else {name: None for name in names if name not in found}
            found = {name: None for name in found if name not in names} | others
    return list(found)


def _names(term: str, groups: bool) -> Iterator[str]:
    """ClusterShell takes digits beside a bracket into its numbers: ``n12[0-10]`` would be n120 to n1210, and a long
    number beside a short range fill the memory. Slurm means eleven nodes. So a mark stands between them meanwhile."""
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet

    parted = _BESIDE.sub(_MARK, term)
    for name in NodeSet(parted, resolver=None if groups else RESOLVER_NOGROUP):
        yield name.replace(_MARK, "")


def terms_of(text: str) -> list[str]:
    """``a,b[1,3]`` to ``a`` and ``b[1,3]``: what commas outside of brackets separate."""
    return [text] if re.search(r"[!&]|[^,]\^", text) else _TERM.findall(text)


def _counted(text: str) -> list[str] | None:
    """The names of a set that is one range; None for every other, and where ClusterShell has its own mind."""
    match = _ONE_RANGE.fullmatch(text)
    if match is None:
        return None
    first, last = match["first"], match["last"]
    width = len(first) if first[0] == "0" and len(first) > 1 else 0
    if int(first) > int(last) or (width and len(last) != width) or (last[0] == "0" and not width):
        return None
    return [f"{match['head']}{number:0{width}}{match['tail']}" for number in range(int(first), int(last) + 1)]


def _refuse_huge(text: str, terms: list[str], most: int) -> None:
    """A slip such as ``node[1-10000000000]`` would fill the memory before anybody could count it."""
    if sum(map(_count, terms)) > most or any(len(number) > 18 for number in _NUMBER.findall(text)):
        raise SlowlinkError(
            f"the node set '{text[:80]}' has more than {most:,} nodes",
            hint="for instance node[01-16] or a,b,c",
            slug="bad-node-set",
        )


def _count(term: str) -> int:
    nodes = 1
    for group in _GROUP.findall(term):
        if _RANGES.fullmatch(group) is None:
            raise SlowlinkError(
                f"cannot read the node set '{term[:80]}': a bracket holds numbers and ranges of them",
                hint="for instance node[01-16] or a,b,c",
                slug="bad-node-set",
            )
        ranges = _RANGE.findall(group)
        nodes *= group.count(",") + 1 - len(ranges) + sum(abs(int(end) - int(begin)) + 1 for begin, end in ranges)
    return nodes


def fold(names: Iterable[str]) -> str:
    """Names to ``node[01-03,7]``; what is not plainly a name (logs name nodes) stays as it is, joined by commas."""
    return _folded(tuple(names))


@lru_cache(1 << 10)
def _folded(names: tuple[str, ...]) -> str:
    """One report names the same nodes again and again."""
    from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException

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
