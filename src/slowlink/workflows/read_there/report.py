"""The report of logs that lie on many nodes: as of copies of them, named by their nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from slowlink.facts.tools import NODE
from slowlink.launch.fanout.ask import Answer
from slowlink.model.facts import Hardware
from slowlink.model.policy import Policy
from slowlink.model.report import Report
from slowlink.model.source import Ref, SourceStats
from slowlink.model.state import Collected
from slowlink.nodes import fold
from slowlink.parsers.forms.interface import Record
from slowlink.parsers.reading.read import joined
from slowlink.parsers.reading.sent import Sent, found_by
from slowlink.parsers.reading.sent_back import SpeltOut, shared_among
from slowlink.workflows.analyze import report_of
from slowlink.workflows.read_there.ask import Node, Question, ask_nodes

_UNBELIEVED = "what it sent makes no sense, and is not believed"
_Shared = dict[tuple[str, bytes, tuple[int, int] | None], list[str]]


class Heap(Struct, frozen=True):
    """What was asked, and what came of it."""

    report: Report
    nodes: tuple[Node, ...]
    interrupted: bool


def analyze_there(
    question: Question,
    *,
    hardware: Hardware | None = None,
    tolerances: Mapping[str, Mapping[str, object]] | None = None,
    policy: Policy | None = None,
    on_answer: Callable[[Answer], None] = lambda _: None,
) -> Heap:
    """Read the files of a question on their nodes and say what is wrong. An interrupt ends the asking: what nodes have
    said by then is judged, and the others are unknown. Raises SlowlinkError for unknown names."""
    nodes, interrupted = ask_nodes(question, on_answer)

    def report(of: Sequence[Node]) -> Report:
        return report_of(joined(shared_among(found_by_all(of, question.paths))), hardware, tolerances, policy)

    return Heap(_believed(nodes, report), tuple(nodes), interrupted)


def _believed(nodes: Sequence[Node], report: Callable[[Sequence[Node]], Report]) -> Report:
    """The report; where there can be none, because a node made records up that no log gives, without that node."""
    try:
        return report(nodes)
    except Exception:
        liars = [node for node in nodes if node.sent and _fails(node, report)]
        if not liars:
            raise
        for node in liars:
            node.sent, node.lost = [], _UNBELIEVED
        return report(nodes)


def _fails(node: Node, report: Callable[[Sequence[Node]], Report]) -> bool:
    try:
        report([node])
    except Exception:  # noqa: BLE001  (whatever it is, it comes of what this node sent)
        return True
    return False


def found_by_all(nodes: Sequence[Node], paths: Sequence[str]) -> list[SpeltOut]:
    """Everything that was found, in order of nodes; then what was not, once for all nodes with the same trouble.

    A file that several nodes share is read by each and counts once, for none of them.
    """
    shared = _shared(nodes)
    found: list[SpeltOut] = []
    for node in nodes:
        for sent in node.sent:
            owners = shared.get(_key(sent), [])
            if len(owners) < 2:
                found.append(found_by(sent, f"{node.name}:", node.name))
            elif owners[0] == node.name:
                found.append(found_by(sent, f"{fold(owners)}:", None))
        found += node.brought
    return [*found, *_missing(nodes), *_lost(nodes, paths)]


def _key(sent: Sent) -> tuple[str, bytes, tuple[int, int] | None]:
    return sent.stats.path, sent.digest, sent.file


def _shared(nodes: Sequence[Node]) -> _Shared:
    owners: _Shared = {}
    for node in nodes:
        for sent in node.sent:
            if sent.file is not None and sent.digest:
                owners.setdefault(_key(sent), []).append(node.name)
    return owners


def _missing(nodes: Sequence[Node]) -> list[SpeltOut]:
    """Files that were not there, or that may not be read."""
    by_trouble: dict[tuple[str, str], list[str]] = {}
    for node in nodes:
        for trouble in dict.fromkeys(node.missing):
            by_trouble.setdefault(trouble, []).append(node.name)
    return [([], _unread(f"{fold(names)}:{path}", why), b"") for (path, why), names in by_trouble.items()]


def _lost(nodes: Sequence[Node], paths: Sequence[str]) -> list[SpeltOut]:
    """Nodes without an answer, beside those that gave one: the share of them is told."""
    by_trouble: dict[str, list[str]] = {}
    for node in nodes:
        if node.lost:
            by_trouble.setdefault(node.lost, []).append(node.name)
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    found: list[SpeltOut] = []
    for why, names in by_trouble.items():
        source = f"{fold(names)}:{paths[0]}{more}"
        records: list[Record] = [Collected(NODE, "failed", why, Ref(source, 0, why), name) for name in names]
        if not found:
            records += [Collected(NODE, "ran", "", Ref(source, 0), node.name) for node in nodes if not node.lost]
        found.append((records, _unread(source, why), b""))
    return found


def _unread(source: str, why: str) -> SourceStats:
    return SourceStats(source, (), 0, 0, 0, 0, 0, problem=why, partial=True)
