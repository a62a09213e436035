"""Which node, and which HCA of it, each finding accuses: by the same words as ``slowlink act``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from slowlink import exits
from slowlink.model.acceptance import Cell
from slowlink.model.report import Diagnosis, Finding, Report
from slowlink.workflows.accepting.checks import check_of_hca, check_of_node
from slowlink.workflows.accepting.names import NodeNames
from slowlink.workflows.acting.accusing import most_accused
from slowlink.workflows.acting.known_nodes import KnownNodes

_HCA_PARTS = ("hca", "port")
_MOST_LINES = 2


class Accusation(Struct, frozen=True):
    """A finding of at least a warning, at one node or HCA."""

    cause: str
    roots: tuple[str, ...]
    """Causes that explain it, of diagnoses that name the node."""
    message: str
    fails: bool
    lines: tuple[tuple[str, int], ...]
    """(source, line) of its evidence."""


class Accusations:
    """Of one report. Those of an HCA are not its node's once more."""

    def __init__(self, report: Report, findings: Iterable[Finding], names: NodeNames, fail_on: str) -> None:
        self._of: dict[str, dict[tuple[str, str], list[Accusation]]] = {}
        known = KnownNodes(report)
        roots = [(each, known.named(each)) for each in report.diagnoses]
        for found in dict.fromkeys((*findings, *map(_as_finding, report.diagnoses))):
            if exits.fails(found.severity, "warning"):
                self._add(found, known, names, roots, fails=exits.fails(found.severity, fail_on))

    def _add(
        self,
        found: Finding,
        known: KnownNodes,
        names: NodeNames,
        roots: Sequence[tuple[Diagnosis, Mapping[str, None]]],
        *,
        fails: bool,
    ) -> None:
        named = known.named(found)
        if not 0 < len(named) <= most_accused(Diagnosis.of(found)):
            return
        lines = tuple((each.source, each.line) for each in found.evidence)
        for host in named:
            node = names.meant(host)
            if node is None:
                continue
            above = tuple(d.cause for d, those in roots if found.cause in d.explains and host in those)
            accusation = Accusation(found.cause, above, found.message, fails, lines)
            hcas = dict.fromkeys(
                suspect.name.partition(" ")[2].partition("/")[0]
                for suspect in found.suspects
                if suspect.kind in _HCA_PARTS and suspect.name.partition(" ")[0] == host
            )
            for hca in hcas or ("",):
                check = check_of_hca(found.cause) if hca else check_of_node(found.cause, found.rule)
                self._of.setdefault(node, {}).setdefault((hca, check), []).append(accusation)

    def at(self, node: str, hca: str, check: str) -> Sequence[Accusation]:
        return self._of.get(node, {}).get((hca, check), ())

    def left_over(self, node: str, hcas: Collection[str], checks: Collection[str]) -> list[Accusation]:
        """What accuses the node and stands in no cell: of a check that is not there, or of an HCA that is not asked
        for."""
        return [
            each
            for (hca, check), found in self._of.get(node, {}).items()
            if (hca and hca not in hcas) or check not in checks
            for each in found
        ]


def _as_finding(diagnosis: Diagnosis) -> Finding:
    """A diagnosis may name more than the finding whose words it has."""
    fields = {name: getattr(diagnosis, name) for name in Diagnosis.__struct_fields__ if name != "rules"}
    return Finding(**fields, rule=diagnosis.rules[0] if diagnosis.rules else "")


def with_accusations(cell: Cell, accusations: Sequence[Accusation], place: Callable[[str, int], str]) -> Cell:
    """The cell after what was found: a failure fails it, and of what is only a warning nothing passes."""
    failing = [each for each in accusations if each.fails]
    if not failing and (not accusations or cell.state == "not-measured"):
        return cell
    told = list({(each.cause, each.message): each for each in failing or accusations}.values())
    causes = dict.fromkeys(cause for each in told for cause in (*each.roots, each.cause))
    lines = dict.fromkeys(place(source, line) for each in told for source, line in each.lines[:_MOST_LINES])
    more = f" (and {len(told) - 1} more)" if len(told) > 1 else ""
    return replace(
        cell,
        state="fail" if failing else "open",
        causes=tuple(dict.fromkeys((*cell.causes, *causes))),
        why=f"{'' if failing else 'a warning: '}{told[0].message}{more}",
        evidence=tuple(dict.fromkeys((*cell.evidence, *lines)))[: 2 * _MOST_LINES],
    )
