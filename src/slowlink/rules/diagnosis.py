"""From findings to root causes: a cause swallows its symptoms, and one headline comes out.

Findings of one cause are joined. A cause that another one explains is folded under it, through any number of steps.
What remains is ranked: how bad, how sure, how much it explains, on ten times as many nodes, and how deep in the machine
(what lies below breaks what lies above).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from slowlink.catalog.causes import cause as cause_entry
from slowlink.model.report import Confidence, Diagnosis, Finding, Severity, Verdict
from slowlink.rules.evidence.faults_apart import faults_apart, nodes_of
from slowlink.rules.evidence.findings import Proof
from slowlink.rules.evidence.messages import listed

SEVERITIES: tuple[Severity, ...] = ("info", "warning", "error", "critical")
CONFIDENCES: tuple[Confidence, ...] = ("possible", "likely", "certain")
_LAYERS = ("host", "gpu-net", "fabric", "config", "node", "cluster", "launch", "application", "measure")
_INSIDE_A_NODE = ("host", "gpu-net", "node")
_MOST_EVIDENCE = 8
_MOST_REMEDIES = 12
"""Of a thousand ports with one fault nobody wants a thousand commands that differ in the port."""
_COST = "busbw-below-expected"
_CUT = "output-truncated"
_DIFFERS = "node-differs"
_TOOL = "tool-failed"
_UNLIKE = "sources-differ"
"""Two nodes, or sources without a name, that are not alike: sound parts of theirs are no health."""
_TROUBLE = "trouble-told"
"""Who complains knows that something is wrong: sound parts beside the complaint do not prove the contrary."""
_UNSETTLED = ("run-interrupted", "nodes-unanswered", "tool-failed", "hardware-unknown", "job-unasked")
"""With these, what was measured elsewhere says nothing about the rest."""
_OPEN = (
    *(_CUT, "rank-lost", "nccl-error-unexplained", "error-unexplained", "fabric-manager-down", "policy-unchecked"),
    "above-physical-bound",
)
"""With a warning of these neither: the output stops early, a process ended badly, or a program complains, in words that
nobody knows or that name no reason, and nothing that was read is the reason; or a number is one that cannot be, so that
either it or the picture of the hardware is wrong."""
_COSTLY = {
    "cpu-governor-not-performance": "certain",
    "iommu-translating": "certain",
    "numa-balancing-on": "certain",
    "proxy-affinity": "certain",
    "hca-name-prefix-match": "certain",
    "gpu-nic-affinity-wrong": "likely",
    "tuning-harmful": "likely",
    "pcie-errors": "likely",
    "gdr-forced-far": "likely",
    "nvls-unavailable": "likely",
}
"""What costs performance wherever it is, if one is as sure of it: settings in force, and packets that are sent again.
Any other warning, however sure, is a risk, a reserve that is gone, or a setting without effect."""
_FAULTS = (
    *("port-rate-low", "port-down", "link-errors", "link-flapping", "hca-missing", "hca-fatal-error"),
    *("pcie-errors", "pcie-link-degraded", "gpu-missing", "gpu-memory-errors", "gpu-hardware-fault", "nvlink-down"),
    *("nvswitch-error", "host-memory-errors", "storage-failing", "rank-stuck"),
    "health-check-failed",
)
"""Hardware that may be broken. Sound parts do not outweigh a doubt about another one; only a measurement does."""
_UNJUDGED = ("hardware-unknown",)
"""What was measured is left open, and nothing else is: a setting in force that costs performance costs it on any
hardware."""
MOST_UNREAD = 0.6
"""Share of lines that no parser knows, above which sound parts say nothing about the rest. A limit of ours."""
_SEEN, _MEASURED, _OF_ALL = 1, 2, 3
"""Weights of proofs: sound devices and repeats seen; a bandwidth measured, of a link or of a collective."""


def diagnose(findings: Sequence[Finding]) -> tuple[Diagnosis, ...]:
    """Root causes, ranked, each with the causes that it explains."""
    joined = _join(findings)
    explained = _reach(joined)
    for name, stronger in _told_again(joined):
        explained[stronger] |= {name, *explained[name]} - {stronger}
    roots = [name for name in joined if not _has_root_above(name, joined, explained) and not _told(name, joined)]
    diagnoses = [_fold(joined[name], [joined[e] for e in joined if e in explained[name]]) for name in roots]
    return tuple(sorted(diagnoses, key=_rank))


def _join(findings: Sequence[Finding]) -> dict[str, Diagnosis]:
    """One diagnosis a cause, in order of the first finding of each; of different faults on different nodes one each,
    under names of their own."""
    by_cause: dict[str, list[Diagnosis]] = {}
    for found in findings:
        by_cause.setdefault(found.cause, []).append(Diagnosis.of(found))
    return {
        f"{cause} {number}" if number else cause: _together(group)
        for cause, all_of_it in by_cause.items()
        for number, group in enumerate(sorted(faults_apart(all_of_it), key=_gravity, reverse=True))
    }


def _together(group: Sequence[Diagnosis]) -> Diagnosis:
    """The worst leads; suspects, evidence, remedies and rules are put together."""
    lead = max(group, key=lambda d: _gravity([d]))
    ordered = [lead, *(d for d in group if d is not lead)]
    return replace(
        lead,
        suspects=_distinct(s for d in ordered for s in d.suspects),
        evidence=_distinct(e for d in ordered for e in d.evidence)[:_MOST_EVIDENCE],
        explains=_distinct(e for d in ordered for e in d.explains),
        remedy=_distinct(r for d in ordered for r in d.remedy)[:_MOST_REMEDIES],
        references=_distinct(r for d in ordered for r in d.references),
        rules=_distinct(r for d in ordered for r in d.rules),
    )


def _gravity(group: Sequence[Diagnosis]) -> tuple[int, int]:
    """How bad the worst is, and how sure."""
    return max((SEVERITIES.index(d.severity), CONFIDENCES.index(d.confidence)) for d in group)


def _distinct(items: Iterable[object]) -> tuple:  # type: ignore[type-arg]
    return tuple(dict.fromkeys(items))


def _reach(joined: Mapping[str, Diagnosis]) -> dict[str, set[str]]:
    """For each diagnosis, every other one that it explains, directly or through others."""
    by_cause: dict[str, list[str]] = {}
    for name, found in joined.items():
        by_cause.setdefault(found.cause, []).append(name)
    reach: dict[str, set[str]] = {}
    for start, root in joined.items():
        seen: set[str] = set()
        todo = [root]
        while todo:
            for name in (name for cause in todo.pop().explains for name in by_cause.get(cause, ())):
                if name not in seen and _may_explain(start, root, joined[name]):
                    seen.add(name)
                    todo.append(joined[name])
        reach[start] = seen
    return reach


def _told_again(joined: Mapping[str, Diagnosis]) -> Iterator[tuple[str, str]]:
    """Diagnoses that accuse nothing but settings which a surer one, no less grave, has on the same lines; with that
    one. Two causes of one variable are one thing to do."""
    for name, found in joined.items():
        if not found.suspects or any(suspect.kind != "setting" for suspect in found.suspects):
            continue
        for other, surer in joined.items():
            sure = CONFIDENCES.index(surer.confidence) > CONFIDENCES.index(found.confidence)
            grave = SEVERITIES.index(surer.severity) >= SEVERITIES.index(found.severity)
            if sure and grave and set(found.suspects) <= set(surer.suspects) and _lines(found) <= _lines(surer):
                yield name, other


def _lines(found: Diagnosis) -> set[tuple[str, int]]:
    return {(evidence.source, evidence.line) for evidence in found.evidence}


def _may_explain(name: str, root: Diagnosis, effect: Diagnosis) -> bool:
    """A symptom, and trouble on the way between nodes, may show on any node of the job. A fault inside a node is
    explained on the same node alone, a tool that fails on all its nodes; so is the bandwidth of a benchmark whose nodes
    are named. Of several faults with one cause only the gravest explains what is elsewhere."""
    if effect.cause == root.cause:
        return False
    here, there = nodes_of(root), nodes_of(effect)
    if effect.cause == _TOOL:
        return there <= here
    if effect.cause == _COST and here and there and _short(here).isdisjoint(_short(there)):
        return False
    if cause_entry(effect.cause).is_symptom or effect.layer not in _INSIDE_A_NODE:
        return name == root.cause or not here.isdisjoint(there)
    return not here or not there or not here.isdisjoint(there)


def _short(nodes: Iterable[str]) -> set[str]:
    """One source may say ``gpu02``, another one ``gpu02.site``."""
    return {name.partition(".")[0] for name in nodes}


def _told(name: str, joined: Mapping[str, Diagnosis]) -> bool:
    """That a node differs from its peers is no cause of its own beside what is as wrong on this very node, unless what
    differs is the reason for that. A complaint is none beside what was found wrong, or left open."""
    if name == _TROUBLE:
        return any(found.severity in ("error", "critical") or found.cause in _UNSETTLED for found in joined.values())
    if name != _DIFFERS:
        return False
    mine = joined[name]
    nodes = {suspect for suspect in mine.suspects if suspect.kind == "node"}
    apart = [found for found in joined.values() if found.cause not in (name, *mine.explains)]
    grave = [found for found in apart if SEVERITIES.index(found.severity) >= SEVERITIES.index(mine.severity)]
    others = {suspect for found in grave for suspect in found.suspects}
    return bool(nodes) and nodes <= others


def _has_root_above(name: str, joined: Mapping[str, Diagnosis], explained: Mapping[str, set[str]]) -> bool:
    """Some other cause explains this one. Of two that explain each other the first found stays the root."""
    order = list(joined)
    for other in joined:
        if other == name or name not in explained[other]:
            continue
        mutual = other in explained[name]
        if not mutual or order.index(other) < order.index(name):
            return True
    return False


def _fold(root: Diagnosis, below: Sequence[Diagnosis]) -> Diagnosis:
    """The root with the symptoms below it: it is as bad as the worst of them, and shows the first lines of each that
    it does not show by itself."""
    symptoms = [d for d in below if d.cause != root.cause]
    shown = _lines(root)
    more = [e for d in symptoms for e in d.evidence[:2] if (e.source, e.line) not in shown]
    return replace(
        root,
        severity=max((root, *symptoms), key=lambda d: SEVERITIES.index(d.severity)).severity,
        evidence=_distinct([*root.evidence, *more])[:_MOST_EVIDENCE],
        explains=tuple(d.cause for d in symptoms),
    )


def ranked(diagnoses: Iterable[Diagnosis]) -> tuple[Diagnosis, ...]:
    """Those of several jobs in one order."""
    return tuple(sorted(diagnoses, key=_rank))


def _rank(diagnosis: Diagnosis) -> tuple[object, ...]:
    return (
        -SEVERITIES.index(diagnosis.severity),
        cause_entry(diagnosis.cause).kind == "symptom",
        -CONFIDENCES.index(diagnosis.confidence),
        -len(diagnosis.explains),
        -len(str(len(_node_names(diagnosis)))),
        _LAYERS.index(diagnosis.layer),
        diagnosis.cause,
    )


def verdict(
    diagnoses: Sequence[Diagnosis],
    proofs: Sequence[Proof],
    *,
    partial: bool = False,
    unread: float = 0.0,
    open_beside: bool = False,
    stands_still: bool = False,
) -> Verdict:
    """Broken: it failed, or somebody says that it does not go on (``stands_still``) and there is an error. Degraded: it
    is worse than it should be. Healthy: something was measured and is as it should
    be; where nothing was, a proven setting that costs performance is enough to be degraded, and hardware that may be
    broken, or a bandwidth that may be too low, to leave it open. Otherwise nothing is known:
    where the output stops early, only a measured bandwidth is a proof; while nodes that were asked did not answer,
    nobody says what the nodes have, a process ended badly or NCCL complains (``_OPEN``), or some of the input was not
    read (``partial``), nothing is: what is wrong may stand there. Where most lines are of no known form (``unread``:
    their share), a job ran on more nodes than were looked at, or a bandwidth was measured that nobody can judge
    (``open_beside``), sound parts prove nothing; what was measured does."""
    worst = max((SEVERITIES.index(d.severity) for d in diagnoses), default=-1)
    if worst == SEVERITIES.index("critical"):
        return "broken"
    if worst == SEVERITIES.index("error"):
        return "broken" if stands_still else "degraded"
    if unsettled := _unsettled(diagnoses):
        sure = not partial and any(map(_costs, diagnoses)) and all(d.cause in _UNJUDGED for d in unsettled)
        return "degraded" if sure else "inconclusive"
    if partial:
        return "inconclusive"
    cut = any(_CUT in (d.cause, *d.explains) for d in diagnoses)
    strongest = max((proof.weight for proof in proofs), default=0)
    if strongest >= _OF_ALL or (strongest >= _MEASURED and not _beside_links(diagnoses)):
        return "healthy"
    if any(map(_costs, diagnoses)):
        return "degraded"
    warned = [d for d in diagnoses if d.severity == "warning"]
    doubted = any(d.cause in (*_FAULTS, _UNLIKE) or _COST in (d.cause, *d.explains) for d in warned)
    strange = (unread > MOST_UNREAD or open_beside) and not any(
        proof.weight >= _SEEN and proof.measured for proof in proofs
    )
    return "healthy" if _undoubted(diagnoses, proofs) and not (cut or doubted or strange) else "inconclusive"


def _beside_links(diagnoses: Sequence[Diagnosis]) -> bool:
    """Does something stand here of which a measured link says nothing: somebody who complains about a job, or what may
    be broken inside a node?"""
    return any(
        _TROUBLE in (d.cause, *d.explains)
        or (d.severity == "warning" and d.cause in _FAULTS and d.layer in _INSIDE_A_NODE)
        for d in diagnoses
    )


def _undoubted(diagnoses: Sequence[Diagnosis], proofs: Sequence[Proof]) -> bool:
    """Was anything seen that is sound, and that nothing else leaves open?"""
    noted = {name for d in diagnoses for name in (d.cause, *d.explains)}
    return _TROUBLE not in noted and any(
        proof.weight >= _SEEN and noted.isdisjoint(proof.doubted_by) for proof in proofs
    )


def _costs(diagnosis: Diagnosis) -> bool:
    least = _COSTLY.get(diagnosis.cause)
    sure = least is not None and CONFIDENCES.index(diagnosis.confidence) >= CONFIDENCES.index(least)
    return sure and diagnosis.severity == "warning"


def headline(
    result: Verdict,
    diagnoses: Sequence[Diagnosis],
    proofs: Sequence[Proof],
    nothing: str,
    findings: Sequence[Finding],
    unjudged: str = "",
) -> str:
    """One sentence: the root cause and what it costs, or the strongest proof. ``nothing`` is what to say when there is
    neither; ``findings`` are all findings, where the cost stands; ``unjudged``: why what was measured tells nothing."""
    if result in ("broken", "degraded"):
        settings_only = diagnoses[0].severity == "warning"
        lead = next(filter(_costs, diagnoses), diagnoses[0]) if settings_only else diagnoses[0]
        return _with_cost(lead, findings) + _others(diagnoses)
    if result == "healthy":
        return f"healthy: {_strongest(proofs)}"
    if unsettled := _unsettled(diagnoses):
        return f"inconclusive: {unsettled[0].message}"
    if diagnoses and diagnoses[0].severity == "warning":
        return f"inconclusive: {diagnoses[0].message}"
    if trouble := next((d.message for d in diagnoses if d.cause == _TROUBLE), ""):
        leading = [proof for proof in proofs if proof.weight >= _MEASURED or (proof.weight >= _SEEN and proof.leads)]
        shown = "; ".join([proof.message for proof in leading][:2])
        return f"inconclusive: {trouble}" + (f"; what the input shows is right: {shown}" if shown else "")
    if any(proof.weight >= _MEASURED for proof in proofs):
        return f"inconclusive: what was read is right: {_strongest(proofs)}"
    if right := [proof for proof in proofs if proof.weight < _SEEN and not proof.undecided][:2]:
        lacking = "nothing says how fast it should be" if any(p.measured for p in right) else "nothing was measured"
        shown = "; ".join(proof.message for proof in right)
        return f"inconclusive: {unjudged or lacking}; what the input shows is right: {shown}"
    if diagnoses:
        return f"inconclusive: {diagnoses[0].message}"
    seen = "; ".join([proof.message for proof in proofs if proof.undecided][:3])
    return f"inconclusive: {seen or nothing}"


def _strongest(proofs: Sequence[Proof]) -> str:
    """Those that lead, or else one of their weight."""
    best = max(proof.weight for proof in proofs)
    strongest = [proof for proof in proofs if proof.weight == best]
    return "; ".join([proof.message for proof in strongest if proof.leads][:2]) or strongest[0].message


def _unsettled(diagnoses: Sequence[Diagnosis]) -> list[Diagnosis]:
    return [
        d
        for d in diagnoses
        if any(name in (d.cause, *d.explains) for name in _UNSETTLED) or (d.cause in _OPEN and d.severity == "warning")
    ]


def _others(diagnoses: Sequence[Diagnosis]) -> str:
    """That there is more than the first cause: nodes can be sick for reasons of their own."""
    grave = [d for d in diagnoses[1:] if d.severity in ("error", "critical") and not cause_entry(d.cause).is_symptom]
    nodes: dict[str, set[str]] = {}
    for diagnosis in grave:
        nodes.setdefault(diagnosis.cause, set()).update(_node_names(diagnosis))
    causes = [f"{name} ({len(of_it)} nodes)" if len(of_it) > 1 else name for name, of_it in nodes.items()]
    return f"; also {listed(causes)}" if causes else ""


def _node_names(diagnosis: Diagnosis) -> set[str]:
    return {suspect.name for suspect in diagnosis.suspects if suspect.kind == "node"}


def _with_cost(root: Diagnosis, findings: Sequence[Finding]) -> str:
    """The root cause, and the bandwidth that it explains, unless its own words have the numbers."""
    if _COST not in root.explains or "GB/s" in root.message:
        return root.message
    lost = next(found for found in findings if found.cause == _COST)
    return f"{root.message}; this explains why {lost.message}"
