"""One diagnosis in the words of a ticket. It may accuse each node of a cluster, so all but the lines of a node is put
into words once, and the lines are sorted by node once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from slowlink.model.report import Diagnosis, Evidence
from slowlink.patterns import regex
from slowlink.report.escape import cleaned
from slowlink.report.markdown import code, escaped, fenced

_MOST_EVIDENCE = 12
_MOST_NAME = 255
"""Letters of a file's name."""
_WORD = regex(r"[A-Za-z0-9_.-]+")


class Faults:
    """The diagnoses that accuse ``nodes``, each put into words when it is first asked for."""

    def __init__(self, nodes: Collection[str]) -> None:
        self._nodes = nodes
        self._known: dict[int, tuple[Diagnosis, Fault]] = {}

    def fault(self, diagnosis: Diagnosis) -> Fault:
        """The same for the same diagnosis: to compare two would be to walk all nodes that they name."""
        if id(diagnosis) not in self._known:
            self._known[id(diagnosis)] = diagnosis, Fault(cleaned(diagnosis), self._nodes)
        return self._known[id(diagnosis)][1]


class Fault:
    """A diagnosis, made harmless to look at, that accuses ``nodes``."""

    def __init__(self, diagnosis: Diagnosis, nodes: Collection[str]) -> None:
        self.title = diagnosis.title
        self._above, self._below = [*_above(diagnosis)], [*_below(diagnosis)]
        self._own: dict[str, list[Evidence]] = {}
        for each in diagnosis.evidence:
            for node in _named_by(each, nodes):
                if len(of_node := self._own.setdefault(node, [])) < _MOST_EVIDENCE:
                    of_node.append(each)
        self._of_others = [*_fenced(diagnosis.evidence[:_MOST_EVIDENCE])]

    def on(self, node: str) -> Iterator[str]:
        """Its lines in the ticket on ``node``: with the evidence that names it or is of its own files; all of it where
        none does: others' may show what it did."""
        yield from self._above
        yield from _fenced(self._own[node]) if node in self._own else self._of_others
        yield from self._below


def _above(diagnosis: Diagnosis) -> Iterator[str]:
    yield from (f"## {escaped(diagnosis.title)}", "", escaped(diagnosis.message), "")
    yield f"* Cause: {code(diagnosis.cause)}, {diagnosis.severity}, {diagnosis.confidence}"
    parts = [f"{each.kind} {each.name}" for each in diagnosis.suspects if each.kind != "node"]
    if parts:
        more = f", and {len(parts) - _MOST_EVIDENCE} more" * (len(parts) > _MOST_EVIDENCE)
        yield f"* Part: {escaped(', '.join(parts[:_MOST_EVIDENCE]))}{more}"
    yield ""


def _below(diagnosis: Diagnosis) -> Iterator[str]:
    commands = [line for step in diagnosis.remedy if step.command for line in step.command.split("\n")]
    if commands:
        yield from ("To look at it, or to mend it:", "", *fenced(commands, "sh"), "")


def _named_by(evidence: Evidence, nodes: Collection[str]) -> set[str]:
    """Nodes that a line or its source names, and those of whose files it is: ``snapshot/gpu07.txt``."""
    words = {*_WORD.findall(f"{evidence.source} {evidence.text}")}
    for part in evidence.source.split("/"):
        words.add(part)
        words.update(part[:end] for end, letter in enumerate(part[:_MOST_NAME]) if letter == ".")
    return words.intersection(nodes)


def _fenced(evidence: Sequence[Evidence]) -> Iterator[str]:
    if evidence:
        yield from ("Evidence:", "", *fenced([line for each in evidence for line in _shown(each)], "text"), "")


def _shown(evidence: Evidence) -> Iterator[str]:
    yield f"{evidence.source}:{evidence.line}: {evidence.text}"
    if evidence.observed or evidence.expected:
        yield f"    observed {evidence.observed or '-'}, expected {evidence.expected or '-'}"
