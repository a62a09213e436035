"""A ticket on one node, as Markdown, for whoever repairs it: what was found, the lines that show it, what the node is
made of, and how its peers differ. Names and lines come from logs: everything is escaped."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from slowlink.catalog.attributes import all_attributes
from slowlink.facts.folded_state import NODE_STATE
from slowlink.model.acting import AccusedNode, NodesApart
from slowlink.model.report import Diagnosis, Difference, Evidence, Report
from slowlink.nodes import NodeLists
from slowlink.patterns import regex
from slowlink.report.escape import cleaned
from slowlink.report.markdown import code, escaped, fenced

_MOST_DIAGNOSES, _MOST_EVIDENCE, _MOST_ROWS = 20, 12, 100
_MOST_NODES, _MOST_NAMES = 100_000, 1_000_000
"""Of one set, and of all sets of a report together."""
_KINDS = ("identity", "version")
_NOT_ASKED = ("pci", "gid", "fabric-node", "fabric-port")
"""Kinds of parts of which no vendor asks the numbers."""
_WORD = regex(r"[A-Za-z0-9_.-]+")


def ticket_texts(report: Report, apart: NodesApart) -> Iterator[tuple[str, str]]:
    """Each accused node with its ticket. Linear in what the report holds, however many nodes are accused."""
    report = cleaned(report)
    wanted = {accused.node for accused in apart.accused}
    others = len(wanted) + len(apart.good) + len(apart.open) - 1
    nodes = _Wanted(wanted)
    beside, made_of = _beside_peers(report.differences, nodes), _made_of(report, nodes)
    for accused in apart.accused:
        lines = _head(report, cleaned(accused), others)
        lines += _table("Beside its peers", ("What", "Here", "Elsewhere"), beside.get(accused.node, ()))
        lines += _table("What the node is made of", ("What", "Part", "Value"), made_of.get(accused.node, ()))
        yield accused.node, "\n".join(lines).rstrip("\n") + "\n"


def _head(report: Report, accused: AccusedNode, others: int) -> list[str]:
    shown = accused.diagnoses[:_MOST_DIAGNOSES]
    faults, peers = _count(len(accused.diagnoses), "fault"), _count(others, "other node")
    lines = [f"# {escaped(accused.node)}: {escaped(shown[0].title)}", ""]
    lines += [f"{faults} found by slowlink {escaped(report.slowlink)}, which looked at {peers} as well.", ""]
    for diagnosis in shown:
        lines += _diagnosis(diagnosis, accused.node)
    if more := len(accused.diagnoses) - len(shown):
        lines += [f"{_count(more, 'more fault')}: slowlink's report has them.", ""]
    return lines


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _diagnosis(diagnosis: Diagnosis, node: str) -> Iterator[str]:
    yield from (f"## {escaped(diagnosis.title)}", "", escaped(diagnosis.message), "")
    yield f"* Cause: {code(diagnosis.cause)}, {diagnosis.severity}, {diagnosis.confidence}"
    parts = [f"{each.kind} {each.name}" for each in diagnosis.suspects if each.kind != "node"]
    if parts:
        more = f", and {len(parts) - _MOST_EVIDENCE} more" * (len(parts) > _MOST_EVIDENCE)
        yield f"* Part: {escaped(', '.join(parts[:_MOST_EVIDENCE]))}{more}"
    yield ""
    evidence = _of_the_node(diagnosis.evidence, node)
    if evidence:
        yield from ("Evidence:", "", *fenced([line for each in evidence for line in _shown(each)], "text"), "")
    commands = [line for step in diagnosis.remedy if step.command for line in step.command.split("\n")]
    if commands:
        yield from ("To look at it, or to mend it:", "", *fenced(commands, "sh"), "")


def _of_the_node(evidence: Sequence[Evidence], node: str) -> Sequence[Evidence]:
    """Lines of this node's sources or that name it; all of them where none does: others' may show what it did."""
    own = [each for each in evidence if node in _WORD.findall(f"{each.source} {each.text}") or _is_file_of(each, node)]
    return (own or evidence)[:_MOST_EVIDENCE]


def _is_file_of(evidence: Evidence, node: str) -> bool:
    """``snapshot/gpu07.txt``."""
    return any(part == node or part.startswith(f"{node}.") for part in evidence.source.split("/"))


def _shown(evidence: Evidence) -> Iterator[str]:
    yield f"{evidence.source}:{evidence.line}: {evidence.text}"
    if evidence.observed or evidence.expected:
        yield f"    observed {evidence.observed or '-'}, expected {evidence.expected or '-'}"


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
