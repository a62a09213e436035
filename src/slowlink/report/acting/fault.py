"""One diagnosis in the words of a ticket. It may accuse each node of a cluster, so all but the lines of a node is put
into words once, and the lines are sorted by node once."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from slowlink.model.report import Diagnosis, Evidence, Suspect
from slowlink.patterns import regex
from slowlink.report.escape import cleaned
from slowlink.report.folding import short_sets
from slowlink.report.markdown import code, escaped, fenced

_MOST_EVIDENCE = 12
_MOST_NAME = 255
"""Letters of a file's name."""
_WORD = regex(r"[A-Za-z0-9_.-]+")
_HCA = regex(r"[a-z][a-z0-9]{1,15}_[a-z0-9_]{1,15}")
"""Nothing that a shell or a pattern would take for more than a name."""


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
        self._above, self._cause, self._diagnosis = [*_above(diagnosis)], _cause(diagnosis), diagnosis
        self._parts = _parts_of_nodes(diagnosis, nodes)
        self._commands = [line for step in diagnosis.remedy if step.command for line in step.command.split("\n")]
        self._hca = _first_hca(diagnosis)
        self._own: dict[str, list[Evidence]] = {}
        for each in diagnosis.evidence:
            for node in _named_by(each, nodes):
                if len(of_node := self._own.setdefault(node, [])) < _MOST_EVIDENCE:
                    of_node.append(each)
        of_others = "Evidence, of other nodes:" if self._own else "Evidence:"
        self._of_others = [*_fenced(diagnosis.evidence[:_MOST_EVIDENCE], of_others)]

    def on(self, node: str) -> Iterator[str]:
        """Its lines in the ticket on ``node``: with its own parts, and the evidence that names it or is of its files;
        all evidence where none does: others' may show what it did."""
        own = self._parts.get(node, [])
        yield from self._above
        yield self._cause
        yield from _parts_line(own or [each for each in self._diagnosis.suspects if each.kind != "node"])
        yield ""
        yield from _fenced(self._own[node]) if node in self._own else self._of_others
        yield from self._below(own)

    def _below(self, own: Sequence[Suspect]) -> Iterator[str]:
        """The commands. One that names the first HCA of many nodes names this node's here: whoever mends this node
        would look at a sound one."""
        mine = next(filter(None, map(_hca_of, own)), "")
        commands = [_of_hca(line, self._hca, mine) for line in self._commands]
        if commands:
            yield from ("To look at it, or to mend it:", "", *fenced(commands, "sh"), "")


def _above(diagnosis: Diagnosis) -> Iterator[str]:
    yield from (f"## {escaped(diagnosis.title)}", "", escaped(short_sets(diagnosis.message)), "")


def _cause(diagnosis: Diagnosis) -> str:
    return f"* Cause: {code(diagnosis.cause)}, {diagnosis.severity}, {diagnosis.confidence}"


def _parts_line(suspects: Sequence[Suspect]) -> Iterator[str]:
    parts = [f"{each.kind} {each.name}" for each in suspects]
    if parts:
        more = f", and {len(parts) - _MOST_EVIDENCE} more" * (len(parts) > _MOST_EVIDENCE)
        yield f"* Part: {escaped(', '.join(parts[:_MOST_EVIDENCE]))}{more}"


def _parts_of_nodes(diagnosis: Diagnosis, nodes: Collection[str]) -> dict[str, list[Suspect]]:
    """``gpu07 mlx5_4/1`` is a part of ``gpu07``."""
    found: dict[str, list[Suspect]] = {}
    for each in diagnosis.suspects:
        node, blank, _ = each.name.partition(" ")
        if each.kind != "node" and blank and node in nodes:
            found.setdefault(node, []).append(each)
    return found


def _first_hca(diagnosis: Diagnosis) -> str:
    """The HCA that the commands of the diagnosis name, where each node has its own."""
    return next(filter(None, map(_hca_of, diagnosis.suspects)), "")


def _hca_of(part: Suspect) -> str:
    """``mlx5_4`` of ``gpu07 mlx5_4/1``; "" for any other part, or a name that is none of an HCA."""
    name = part.name.rpartition(" ")[2].partition("/")[0]
    return name if part.kind in ("port", "hca") and _HCA.fullmatch(name) else ""


def _of_hca(command: str, theirs: str, mine: str) -> str:
    if not (theirs and mine):
        return command
    return re.sub(rf"(?<![\w-]){theirs}(?![\w-])", mine, command)


def _named_by(evidence: Evidence, nodes: Collection[str]) -> set[str]:
    """Nodes that a line or its source names, and those of whose files it is: ``snapshot/gpu07.txt``."""
    words = {*_WORD.findall(f"{evidence.source} {evidence.text}")}
    for part in evidence.source.split("/"):
        words.add(part)
        words.update(part[:end] for end, letter in enumerate(part[:_MOST_NAME]) if letter == ".")
    return words.intersection(nodes)


def _fenced(evidence: Sequence[Evidence], above: str = "Evidence:") -> Iterator[str]:
    if evidence:
        yield from (above, "", *fenced([line for each in evidence for line in _shown(each)], "text"), "")


def _shown(evidence: Evidence) -> Iterator[str]:
    yield f"{evidence.source}:{evidence.line}: {evidence.text}"
    if evidence.observed or evidence.expected:
        yield f"    observed {evidence.observed or '-'}, expected {evidence.expected or '-'}"
