"""The lowest layer at which bandwidth is lost, of a ladder that ``slowlink check`` climbed.

Each layer was measured on the layers below it: ports, pairs of nodes, the inside of each node, one rank per node, all
ranks. What a layer gives is the ceiling of the next, so the layer where the number falls is where to look; what stands
above it is slow because of it, and is not blamed. A node, an HCA or a path that is slow beside its like is named.

Why it matters: a collective over all nodes is slow for any of twenty reasons, and most of them show in one layer alone.
How to confirm: climb that layer again (``slowlink check --layers``), or set its slow part beside others
(``slowlink isolate``).
What to do: see to the part that is named; where none is, ``slowlink check --experiments`` asks which cause it is.
When it is wrong: somebody else used the nodes for a moment of one layer. MPI on CPU memory has no share that it should
reach, so there a layer is compared with its like alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.ladder.judge import waterfall
from slowlink.ladder.tolerances import Tolerances
from slowlink.model.ladder import Blamed, Ladder, Rung
from slowlink.model.report import Evidence, Finding
from slowlink.nodes import fold
from slowlink.rules.evidence.commands import as_nodes, command
from slowlink.rules.evidence.findings import Proof, Step, finding, line_evidence, suspects

CAUSES = ("straggler-node", "straggler-nic", "slow-path", "link-bandwidth-low", "busbw-below-expected")
Params = Tolerances
_OF_KIND = {"node": "straggler-node", "hca": "straggler-nic", "path": "slow-path"}
_SUSPECTS = {"node": "node", "hca": "hca", "path": "link"}
_MOST = 4


def check(ladder: Ladder, params: Params) -> Iterator[Finding | Proof]:
    """A finding for each part that is slow, one for the layer where the loss begins, or what was shown to be sound."""
    found = waterfall(ladder, params)
    blamed = False
    anchored = any(rung.layer == "pairs-host" and rung.state == "ok" and rung.ceiling_gbs for rung in found.rungs)
    for rung in found.rungs:
        for kind in _OF_KIND if not blamed else ():
            parts = [each for each in rung.blamed if each.kind == kind]
            if parts:
                blamed = True
                yield _slow(rung, kind, parts, ladder)
        if rung.layer == found.lost_at and rung.state == "degraded" and not rung.blamed:
            yield _lost(rung, ladder)
        if rung.state == "ok" and rung.layer != "port":
            # A share of what was measured below proves something where the lowest of these has a rate to reach.
            judged = anchored and rung.ceiling_gbs is not None and rung.why.endswith(rung.basis)
            yield Proof(f"{rung.title}: {rung.least_gbs:.3g} GB/s, {rung.why}", weight=2 if judged else 0)


def _slow(rung: Rung, kind: str, parts: list[Blamed], ladder: Ladder) -> Finding:
    worst = parts[0]
    names = [part.name for part in parts]
    said = fold(names) if kind == "node" else ", ".join(names[:_MOST])
    gives = f"{worst.gbs:.3g} GB/s" if worst.gbs else "no number"
    nodes = as_nodes(fold(ladder.plan.nodes))
    return finding(
        _OF_KIND[kind],
        f"{said} {'is' if len(parts) == 1 else 'are'} slow at the layer '{rung.title}': {gives}, where others give "
        f"{worst.usual_gbs:.3g} GB/s",
        severity="error",
        confidence="likely",
        # An HCA stands behind its node's name, as everywhere.
        suspects=suspects(_SUSPECTS[kind], [name.replace("/", " ", 1) if kind == "hca" else name for name in names]),
        evidence=_evidence(rung, ladder),
        explains=("busbw-below-expected", "link-bandwidth-low", "bandwidth-unstable"),
        remedy=[
            Step("Set it beside several others, to be sure.", command("slowlink", "isolate", "--nodes", nodes)),
            Step("Leave it out until it is mended (slowlink check -x NAME)."),
        ],
    )


def _lost(rung: Rung, ladder: Ladder) -> Finding:
    cause = "link-bandwidth-low" if rung.layer.startswith("pairs") else "busbw-below-expected"
    nodes = as_nodes(fold(ladder.plan.nodes))
    again = command("slowlink", "check", "--nodes", nodes, "--experiments")
    return finding(
        cause,
        f"bandwidth is lost at the layer '{rung.title}': {rung.why}",
        severity="error",
        confidence="likely",
        evidence=_evidence(rung, ladder),
        remedy=[Step("Ask which cause it is: one setting after another.", again)],
    )


def _evidence(rung: Rung, ladder: Ladder) -> list[Evidence]:
    """The slowest tests of the layer."""
    mine = [result for result in ladder.results if result.test.layer == rung.layer and result.ref is not None]
    mine.sort(key=lambda result: result.gbs or 0.0)
    expected = rung.usual_gbs if rung.blamed else rung.ceiling_gbs
    return [
        line_evidence(
            result.ref,
            observed=f"{f'{result.gbs:.3g} GB/s' if result.gbs else result.trouble} ({fold(result.test.nodes)})",
            expected=f"{expected:.3g} GB/s" if expected else "",
        )
        for result in mine[:_MOST]
        if result.ref is not None
    ]
