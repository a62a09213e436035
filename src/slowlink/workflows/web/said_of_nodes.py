"""What one report says of each of its nodes, rule by rule. A saved report is anybody's text.

That nothing was found says something only where somebody looked: a rule that asks for the state of nodes looked at
those of which its attributes are known, one that asks for measurements at those that measured to the end, one about the
job's own log at the nodes of that job. A rule that waits for complaints proves nothing by hearing none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from msgspec import Struct

from slowlink.comparison.unread import what_was_not_read
from slowlink.facts.folded_state import NODE_STATE
from slowlink.model.report import Claim, Finding, Report, Severity
from slowlink.report.key_facts import proofs
from slowlink.rules.rule import Rule, discover
from slowlink.workflows.acting.known_nodes import KnownNodes

CHECKS = (
    *("measured", "gpu", "gpu_links", "pcie", "gpudirect", "hca", "links", "rdma", "fabric"),
    *("node", "peers", "software", "job", "hang", "running", "neighbours"),
)
"""Families of rules, in the order of a row."""
_OF_LAYER = {
    "host": "node", "fabric": "fabric", "gpu-net": "gpudirect", "node": "gpu_links", "cluster": "node",
    "application": "job", "config": "software", "launch": "job", "measure": "measured",
}  # fmt: skip
"""Where a finding goes whose rule this version does not know."""
_COMPLAINTS = frozenset({"Events", "Warnings", "Sources", "Observations"})
_OF_STATE = frozenset({"State", "Differences", "PolicyReview"})
_MEASURED = frozenset({"Sweeps", "Expectations", "Paces", "PairSurvey", "Ladder", "MpiTables", "Perftests", "Matrices"})
_MEASURED_CHECK = "measured"
_DECIDING = frozenset({"busbw-below-expected", "pair-survey"})
"""Of measurements only these tell whether they are as fast as they should be."""
_OF_PARTS = frozenset({"gpu", "gpu_links", "pcie", "links", "rdma", "fabric", "node"})
"""A job's log that complains of no part has not looked at the parts; only their own state has."""
_MOST_SUSPECTS = 10_000
Nodes = frozenset[str]
_NOBODY: Nodes = frozenset()


class Accusation(Struct, frozen=True):
    """One finding."""

    rule: str
    check: str
    cause: str
    severity: Severity
    nodes: Nodes
    of_all: bool
    """It names none, so it holds for all of them."""


class SaidOfNodes(Struct, frozen=True):
    """By one report."""

    nodes: Nodes
    looked: Mapping[str, Nodes]
    """Rule -> the nodes that it looked at."""
    sound: Mapping[str, Nodes]
    """Check -> the nodes that any of its rules looked at."""
    found: tuple[Accusation, ...]

    @property
    def weight(self) -> int:
        """Names that it holds: most rules looked at the same nodes, and share the set."""
        sets = (self.nodes, *self.looked.values(), *self.sound.values(), *(each.nodes for each in self.found))
        return 1 + sum(map(len, {id(each): each for each in sets}.values()))


UNREADABLE = SaidOfNodes(frozenset(), {}, {}, ())
"""What a report says that is not there, or cannot be read."""


def said_of_nodes(report: Report) -> SaidOfNodes:
    """Pure."""
    known = KnownNodes(report)
    everybody = frozenset(known.all)
    accusations, doubted = _accusations(report, known, everybody)
    looked: dict[str, Nodes] = {}
    distinct: dict[Nodes, Nodes] = {}
    for rule, nodes in _looked(report, known):
        if left := nodes - doubted[rule] if rule in doubted else nodes:
            looked[rule] = distinct.setdefault(left, left)
    sound: dict[str, Nodes] = {}
    for rule, nodes in looked.items():
        check = check_of(rule)
        if _decides(rule, check):
            before = sound.get(check, _NOBODY)
            sound[check] = nodes if nodes >= before else before | nodes
    return SaidOfNodes(everybody, looked, sound, accusations)


def _decides(rule: str, check: str) -> bool:
    """Is what this rule did not find a reason to call a node sound in ``check``?"""
    if check == _MEASURED_CHECK:
        return rule in _DECIDING
    return check not in _OF_PARTS or any(kind == "Readings" or kind in _OF_STATE for kind, _ in _needs().get(rule, ()))


def check_of(rule: str, layer: str = "") -> str:
    """The family of a rule; of one that nobody knows any more, by where the cause is mended."""
    return _families().get(rule) or _OF_LAYER.get(layer, "job")


@cache
def _families() -> Mapping[str, str]:
    return {rule.id: _home(rule).split(".")[2] for rule in discover()}


def _home(rule: Rule) -> str:
    return rule.home if isinstance(rule.home, str) else rule.home.__name__


@cache
def _needs() -> Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]:
    """Rule -> (type, attributes) of what it cannot do without."""
    return {
        rule.id: tuple((need.type.__name__, need.attributes) for need in rule.needs if not need.optional)
        for rule in discover()
    }


def _looked(report: Report, known: KnownNodes) -> Iterator[tuple[str, Nodes]]:
    """Not where some of the input was not read: what is wrong may stand there."""
    if what_was_not_read(report):
        return
    evidence = _Evidence(report, known)
    for outcome in report.outcomes:
        if outcome.outcome in ("passed", "found"):
            yield outcome.rule, evidence.of(outcome.rule)


class _Evidence:
    """Which nodes a rule could look at."""

    def __init__(self, report: Report, known: KnownNodes) -> None:
        self._known = known
        every = [report.facts, *(job.facts for job in report.jobs)]
        self._states = [state for facts in every if isinstance(state := facts.get(NODE_STATE), Mapping)]
        self._of_state: Nodes = frozenset(node for facts in every for node in _names(facts.get("state_nodes")))
        # What a heap's rules say of one job is not told from what they say of another.
        self._of_job: Nodes = frozenset() if report.jobs else frozenset(_names(report.facts.get("hosts")))
        settled = report.verdict != "inconclusive" and bool(proofs(report.facts))
        self._measured: Nodes = frozenset(
            host for sweep in report.sweeps if sweep.complete and settled for host in sweep.hosts
        )
        self._having: dict[str, Nodes] = {}

    def of(self, rule: str) -> Nodes:
        needs = _needs().get(rule, ())
        if all(kind in _COMPLAINTS for kind, _ in needs):
            return _NOBODY
        found: Nodes | None = None
        for kind, attributes in needs:
            if kind not in _COMPLAINTS:
                nodes = self._by(kind, attributes)
                found = nodes if found is None else found & nodes
        return found or _NOBODY

    def _by(self, kind: str, attributes: tuple[str, ...]) -> Nodes:
        if kind == "Readings":
            having = [self._with(attribute) for attribute in attributes]
            return max(having, key=len) if len(set(having)) < 2 and having else _NOBODY.union(*having)
        if kind in _OF_STATE:
            return self._of_state
        return self._measured if kind in _MEASURED else self._of_job

    def _with(self, attribute: str) -> Nodes:
        """Nodes of which it is known."""
        if attribute not in self._having:
            folded = {
                str(entry.get("nodes", ""))
                for state in self._states
                for entry in _items(state.get(attribute))
                if isinstance(entry, Mapping)
            }
            members = (node for nodes in folded for node in self._known.members(nodes))
            self._having[attribute] = frozenset(node for node in members if node in self._known.all)
        return self._having[attribute]


def _items(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, (list, tuple)) else ()


def _names(value: object) -> Iterator[str]:
    return map(str, _items(value))


def _accusations(
    report: Report, known: KnownNodes, everybody: Nodes
) -> tuple[tuple[Accusation, ...], dict[str, set[str]]]:
    """What speaks against nodes; and by rule the nodes that it names for what a root cause elsewhere explains. Those
    are not accused, nor are they sound: a job is slow on all of its nodes where one of them is."""
    roots = _roots(report, known)
    found: dict[tuple[str, str, Severity, bool], set[str]] = {}
    checks: dict[str, str] = {}
    doubted: dict[str, set[str]] = {}
    for each in report.findings:
        if each.severity == "info":
            continue
        named = _named(each, known)
        nodes = named or _scope(each, report) or everybody
        guilty = roots.get((each.job, each.cause))
        if guilty:
            doubted.setdefault(each.rule, set()).update(nodes - guilty)
            nodes = nodes & guilty
        checks[each.rule] = check_of(each.rule, each.layer)
        found.setdefault((each.rule, each.cause, each.severity, not named and not guilty), set()).update(nodes)
    told = tuple(
        Accusation(rule, checks[rule], cause, severity, frozenset(nodes), of_all)
        for (rule, cause, severity, of_all), nodes in found.items()
        if nodes
    )
    return told, doubted


def _roots(report: Report, known: KnownNodes) -> dict[tuple[str, str], set[str]]:
    """(job, symptom) -> the nodes that its root causes name."""
    roots: dict[tuple[str, str], set[str]] = {}
    for diagnosis in report.diagnoses:
        nodes = _named(diagnosis, known) if diagnosis.explains else _NOBODY
        for cause in diagnosis.explains:
            roots.setdefault((diagnosis.job, cause), set()).update(nodes)
    for diagnosis in report.diagnoses:
        roots.pop((diagnosis.job, diagnosis.cause), None)
    return roots


def _named(claim: Claim, known: KnownNodes) -> Nodes:
    """Also the ends of a path."""
    ends = (
        end
        for suspect in claim.suspects[:_MOST_SUSPECTS]
        if suspect.kind == "link"
        for end in suspect.name.split(" - ")
        if end in known.all
    )
    return frozenset(known.named(claim)).union(ends)


def _scope(found: Finding, report: Report) -> Nodes:
    """Of its job."""
    return frozenset(host for job in report.jobs if job.label == found.job for host in job.hosts)
