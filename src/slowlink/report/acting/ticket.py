"""A ticket on one node, as Markdown, for whoever repairs it: what was found, the lines that show it, what the node is
made of, and how its peers differ. Names and lines come from logs: everything is escaped."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from slowlink.catalog.attributes import all_attributes
from slowlink.facts.folded_state import NODE_STATE
from slowlink.model.acting import AccusedNode, NodesApart
from slowlink.model.report import Difference, Report
from slowlink.nodes import NodeLists
from slowlink.patterns import regex
from slowlink.report.acting.fault import Faults
from slowlink.report.escape import cleaned
from slowlink.report.markdown import escaped

_MOST_DIAGNOSES, _MOST_ROWS = 20, 100
_MOST_NODES, _MOST_NAMES = 100_000, 1_000_000
"""Of one set, and of all sets of a report together."""
_KINDS = ("identity", "version")
_NOT_ASKED = ("pci", "gid", "fabric-node", "fabric-port")
"""Kinds of parts of which no vendor asks the numbers."""
_BEGINNING = regex(r"# [^\n]+\n\n[0-9]+ faults? found by slowlink ")


def is_ticket(text: str) -> bool:
    """Does this begin as a ticket of ours does?"""
    return _BEGINNING.match(text) is not None


def ticket_texts(report: Report, apart: NodesApart, of: Collection[str] | None = None) -> Iterator[tuple[str, str]]:
    """Each accused node with its ticket; those ``of`` a set alone, where one is given. Linear in what the report holds
    and in the nodes: a diagnosis that names them all is put into words once."""
    report = cleaned(report)
    chosen = [each for each in apart.accused if of is None or each.node in of]
    wanted = {accused.node for accused in chosen}
    others = len(apart.accused) + len(apart.good) + len(apart.open) - 1
    nodes = _Wanted(wanted)
    beside, made_of = _beside_peers(report.differences, nodes), _made_of(report, nodes)
    faults = Faults({cleaned(node) for node in wanted})
    for accused in chosen:
        lines = _head(report, accused, faults, others)
        lines += _table("Beside its peers", ("What", "Here", "Elsewhere"), beside.get(accused.node, ()))
        lines += _table("What the node is made of", ("What", "Part", "Value"), made_of.get(accused.node, ()))
        yield accused.node, "\n".join(lines).rstrip("\n") + "\n"


def _head(report: Report, accused: AccusedNode, known: Faults, others: int) -> list[str]:
    node, shown = cleaned(accused.node), accused.diagnoses[:_MOST_DIAGNOSES]
    faults, peers = _count(len(accused.diagnoses), "fault"), _count(others, "other node")
    lines = [f"# {escaped(node)}: {escaped(known.fault(shown[0]).title)}", ""]
    lines += [f"{faults} found by slowlink {escaped(report.slowlink)}, which looked at {peers} as well.", ""]
    for diagnosis in shown:
        lines += known.fault(diagnosis).on(node)
    if more := len(accused.diagnoses) - len(shown):
        lines += [f"{_count(more, 'more fault')}: slowlink's report has them.", ""]
    return lines


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


_Rows = dict[str, list[tuple[str, str, str]]]


class _Wanted:
    """The nodes that get a ticket. A report names the same sets for every attribute, and it is anybody's text."""

    def __init__(self, nodes: Collection[str]) -> None:
        self._nodes, self._sets = nodes, NodeLists(_MOST_NAMES, _MOST_NODES)
        self._known: dict[str, list[str]] = {}

    def among(self, folded: str) -> Sequence[str]:
        """Those of a set; what is no set, is too large or one too many is a name."""
        if folded not in self._known:
            names = self._sets.names(folded) or (folded,)
            self._known[folded] = [node for node in names if node in self._nodes]
        return self._known[folded]


def _beside_peers(differences: Sequence[Difference], wanted: _Wanted) -> _Rows:
    """Where a node is not as most of the others."""
    rows: _Rows = {}
    for each in differences:
        usual, *others = sorted(each.said, key=lambda camp: -camp.count)
        unit = f" {each.unit}" if each.unit else ""
        what = f"{each.title} of {each.parts}" if each.parts else each.title
        for camp in others:
            row = (what, f"{camp.value}{unit}", f"{usual.value}{unit} on {_count(usual.count, 'node')}")
            if camp.count < usual.count:
                _put(rows, camp.nodes, wanted, row)
    return rows


def _made_of(report: Report, wanted: _Wanted) -> _Rows:
    """Serial numbers, GUIDs, versions: what a vendor asks first."""
    state, known = report.facts.get(NODE_STATE), all_attributes()
    rows: _Rows = {}
    for name, entries in sorted(state.items()) if isinstance(state, Mapping) else ():
        if name not in known or known[name].kind not in _KINDS or known[name].part in _NOT_ASKED:
            continue
        for entry in entries if isinstance(entries, (list, tuple)) else ():
            if isinstance(entry, Mapping):
                named = entry.get("parts")
                parts = ", ".join(str(each) for each in named if each) if isinstance(named, (list, tuple)) else ""
                row = (known[name].title, f"{known[name].part} {parts}".strip(), str(entry.get("value")))
                _put(rows, str(entry.get("nodes", "")), wanted, row)
    return rows


def _put(rows: _Rows, folded: str, wanted: _Wanted, row: tuple[str, str, str]) -> None:
    for node in wanted.among(folded):
        rows.setdefault(node, []).append(row)


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    lines = [f"## {title}", "", f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(map(escaped, row))} |" for row in rows[:_MOST_ROWS]]
    return [*lines, "", *([f"{len(rows) - _MOST_ROWS} more.", ""] if len(rows) > _MOST_ROWS else [])]
