"""IMEX is not ready on a system whose NVLink spans nodes.

GPU memory is exported to the other nodes of an NVLink domain (GB200, GB300) through the IMEX service and a channel
device. The service's own state, and whether a channel is there, show a defect before a job fails. A program that asks
for such memory all the same gets CUDA_ERROR_NOT_PERMITTED: then the job failed for this.

Why it matters: NCCL fails, or uses the much slower network between nodes of one NVLink domain.
How to confirm: ``nvidia-imex-ctl -N`` shows every node READY and the domain UP; ``ls /dev/nvidia-caps-imex-channels``.
What to do: start nvidia-imex on all nodes of the domain with the same node list and version; create a channel (driver
option ``NVreg_CreateImexChannel0=1``, or mknod) and pass it to containers.
When it is wrong: a domain is DEGRADED while one of its nodes is down for repair; the others work all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from slowlink.facts.readings import by_attribute, latest, node_of
from slowlink.model.facts import Events, Of, Readings, Warnings
from slowlink.model.report import Finding
from slowlink.model.state import Reading
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import Proof, finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import IMEX
from slowlink.rules.evidence.messages import FAILED_RUN, LogMessage, listed, refs_of
from slowlink.rules.evidence.node_readings import node_suspects, on_nodes, reading_evidence
from slowlink.rules.gpu_links.remedies import SEE_IMEX

CAUSES = ("imex-channel-missing",)

_SPANS = regex(r"\bGB[23]00\b")
"""Names of GPUs whose NVLink spans nodes; others need no channel."""
_READY = frozenset({"READY", "UP"})
_DEGRADED = "DEGRADED"
_REFUSED = regex(r"(?i)\bCUDA_ERROR_NOT_PERMITTED\b|Cuda failure (?:800 )?'operation not permitted'")
"""Source: CUDA's ``cuMemCreate`` (a handle of type FABRIC without access to an IMEX channel)."""


def check(
    state: Annotated[Readings, Of("imex-domain-state", "imex-node-state", "imex-channels")],
    names: Annotated[Readings, Of("gpu-name")] | None,
    events: Events | None,
    warnings: Warnings | None,
) -> Iterator[Finding | Proof]:
    """Nodes of the domain that are not ready; channels that are missing where NVLink spans nodes."""
    refused = _refused(events, warnings)
    domains = list(latest(by_attribute(state, "imex-domain-state")).values())
    nodes = list(latest(by_attribute(state, "imex-node-state")).values())
    waiting = [reading for reading in nodes if reading.value not in _READY]
    down = [reading for reading in domains if reading.value not in _READY]
    if waiting or down:
        yield _not_ready(waiting, down, refused)
    elif domains:
        yield Proof(f"{on_nodes(domains)}the IMEX domain is {domains[0].value}", reading_evidence(domains, most=2))
    spanning = {node_of(r) for r in (names.all if names is not None else ()) if _SPANS.search(str(r.value))}
    spanning |= {node_of(reading) for reading in domains}
    channels = latest(by_attribute(state, "imex-channels"))
    missing = [reading for (node, _), reading in channels.items() if reading.value is False and node in spanning]
    if missing:
        yield _finding(f"{on_nodes(missing)}no IMEX channel is there", missing, [], refused)


def _refused(events: Events | None, warnings: Warnings | None) -> list[LogMessage]:
    """Messages of programs that CUDA did not permit what needs a channel."""
    messages: list[LogMessage] = [*(events.all if events is not None else ())]
    messages += warnings.all if warnings is not None else ()
    return [each for each in messages if _REFUSED.search(each.ref.text)]


def _not_ready(waiting: list[Reading], down: list[Reading], refused: Sequence[LogMessage]) -> Finding:
    names = list(dict.fromkeys(reading.part.name for reading in waiting))
    who = f"the IMEX service of {listed(names)} is {waiting[0].value}" if waiting else "the IMEX service is not ready"
    what = f", the domain is {down[0].value}" if down else ""
    return _finding(f"{on_nodes(down)}{who}{what}", [*down, *waiting], names, refused)


def _finding(message: str, readings: list[Reading], names: list[str], refused: Sequence[LogMessage]) -> Finding:
    degraded = not refused and all(reading.value == _DEGRADED for reading in readings)
    return finding(
        "imex-channel-missing",
        message,
        severity="critical" if refused else "warning" if degraded else "error",
        confidence="likely" if degraded else "certain",
        evidence=(*reading_evidence(readings), *lines_evidence(refs_of(refused), 2)),
        suspects=(*suspects("node", names), *node_suspects(readings)),
        explains=("busbw-below-expected", *(("application-error", *FAILED_RUN) if refused else ())),
        remedy=SEE_IMEX,
        references=[IMEX],
    )
