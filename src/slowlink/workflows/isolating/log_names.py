"""Names of logs that hold exactly the nodes of a pair: a log without a table does not say otherwise whose test died."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from re import Match

from slowlink.model.bundle import CAPTURES_NAME, MANIFEST_NAME
from slowlink.model.isolation import Outcome
from slowlink.model.job import JobEvent
from slowlink.model.source import SourceStats
from slowlink.parsers.reading.promises import EMPTY
from slowlink.patterns import regex

_GROUP_SIZES = (2, 3)
_STREAMS = ("stdout", "stderr")
_ROUND = regex(r"(?:^|/)round-(?P<number>\d{1,4})(?:-(?P<rail>[\w.-]{1,40}))?/")
_DIGITS = regex(r"[0-9]+")
_MOST_EDGES = 40
"""In the name of a log; pieces of it are tried as nodes, and their number grows with the square."""

Group = tuple[str, ...]


def round_in(path: str) -> Match[str] | None:
    """Groups of one round ran side by side; only a bundle of ``isolate`` tells, by a folder: ``number``, ``rail``."""
    found: Match[str] | None = _ROUND.search(path)
    return found


class LogNames:
    """What the names of logs with tables have in common: whose test a log without one was."""

    def __init__(self, found: Iterable[tuple[Outcome, str]]) -> None:
        """``found``: outcomes with the paths of their logs."""
        self._kinds: dict[str, Counter[str]] = defaultdict(Counter)
        self._nodes: set[str] = set()
        for outcome, source in found:
            self._nodes.update(outcome.group)
            self._kinds[_form(source, outcome.group)][outcome.kind] += 1
        self._shapes = {_shape(node) for node in self._nodes if _shape(node) != node}

    def not_begun(self, sources: Iterable[SourceStats], measured: Iterable[str]) -> Iterator[tuple[Outcome, str]]:
        """Tests that died before they printed a table, each with the path of its log. They are of the kind that most
        logs have whose names are alike but for the nodes. ``measured``: paths of logs with tables. What could not be
        read is no such test; what is empty most often is one."""
        told = {test_of(path) for path in measured}
        for stats in sources:
            unread = stats.problem is not None and stats.problem != EMPTY
            if unread or stats.copy_of is not None or test_of(stats.path) in told:
                continue
            if group := self.pair_of(stats.path):
                told.add(test_of(stats.path))
                kind = self._kinds[_form(stats.path, group)].most_common(1)[0][0]
                found = round_in(stats.path)
                yield Outcome(group, None, int(found["number"]) if found is not None else 1, kind), stats.path

    def pair_of(self, path: str) -> Group:
        """The nodes in the name of a log that is of the form of logs of pairs; empty where it is not. A node may be in
        no other log: one that died in all of its tests. It is known by its likeness to the others, but for digits."""
        words = _words(_name(path))
        known = sorted(word for word in words if word in self._nodes)
        alike = sorted(word for word in words if _shape(word) in self._shapes)
        return next((group for group in (tuple(known), _longest(alike)) if self._is_pair(path, group)), ())

    def known_in(self, path: str) -> Group:
        """The nodes of other logs in the name of a file, or of the archive that it lies in, whatever its form."""
        words = _words(_name(path.partition("!")[0]))
        return _longest(sorted(word for word in words if word in self._nodes))

    def _is_pair(self, path: str, group: Group) -> bool:
        return len(group) in _GROUP_SIZES and _form(path, group) in self._kinds


def _longest(words: Sequence[str]) -> Group:
    """Without those that are a part of another one (``node-1`` of ``node-1-2``)."""
    return tuple(word for word in words if not any(word != other and word in other for other in words))


def _shape(node: str) -> str:
    return _DIGITS.sub("0", node)


def test_of(path: str) -> str:
    """What tells a test from others: its file, or in a bundle the folder with its files."""
    folder, _, file = path.replace("!", "/").rpartition("/")
    return folder if file in _STREAMS else path


def test_that_ended(event: JobEvent) -> str:
    """Which test, as ``test_of`` names it, an entry of a bundle's manifest tells the end of."""
    folder = f"{event.ref.source.removesuffix(MANIFEST_NAME)}{CAPTURES_NAME}/"
    return folder.replace("!", "/") + event.groups["capture"]


def _name(path: str) -> str:
    """The last part; in a bundle each command has a folder, and what it printed lies in a file of a fixed name."""
    parts = path.replace("!", "/").split("/")
    return parts[-2] if len(parts) > 1 and parts[-1] in _STREAMS else parts[-1]


def _form(path: str, nodes: Iterable[str]) -> str:
    """The name with the nodes taken out."""
    name = _name(path)
    for node in sorted(nodes, key=len, reverse=True):
        name = name.replace(node, "*")
    return name


def _words(name: str) -> set[str]:
    """Everything between two places where a name may begin or end."""
    edges = [0, *(at for at, char in enumerate(name) if char in "_+.,-~ "), len(name)]
    if len(edges) > _MOST_EDGES:
        return set()
    return {name[begin + (begin > 0) : end] for begin in edges for end in edges if begin < end}
