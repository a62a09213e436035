"""NCCL_IB_HCA matches more devices than meant.

Without a leading ``=`` NCCL takes the names in NCCL_IB_HCA as prefixes: ``mlx5_1`` also takes mlx5_10 to mlx5_19. Only
names that end in a digit are judged: ``mlx5`` is a prefix on purpose.

Why it matters: storage or management adapters join the compute fabric. NCCL spreads a ring over all of them, and the
slowest sets its pace. Where they are of another fabric (RoCE beside InfiniBand), connections over them fail.
How to confirm: compare the list with the ``NET/IB : Using`` line.
What to do: write ``NCCL_IB_HCA==mlx5_0,mlx5_1`` (the second = stands for exact names).
When it is wrong: the extra devices may be wanted. So it is an error only where channels go over them and a benchmark
between nodes is not shown to be healthy, or such a benchmark is slow and nothing tells what channels go over; a note
where it is healthy, or where no channel goes over them; else a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from slowlink.model.edges import Edges
from slowlink.model.expectations import Expectations
from slowlink.model.facts import Environment, Network, Sweeps, Transports, Warnings
from slowlink.model.nccl import NetDevice
from slowlink.model.report import Confidence, Finding, Severity
from slowlink.rules.evidence.commands import export
from slowlink.rules.evidence.findings import finding, line_evidence, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.evidence.messages import FAILED_RUN, listed, overcome, refs_of, reported
from slowlink.rules.evidence.rdma_completions import RETRY, completions

CAUSES = ("hca-name-prefix-match",)

_NAMES = ("NCCL_IB_HCA", "MCCL_IB_HCA")
_OTHER_FABRIC = ("rail-cross-traffic", "gid-index-wrong", "rdma-retry-exceeded", "hca-list-incomplete", *FAILED_RUN)
"""What an adapter of another fabric brings about: rails that do not reach one another, GIDs of another kind."""
_EXPLAINS = ("hca-list-wrong", "busbw-below-expected", "hardware-unknown", "bandwidth-unstable")


class _Weight(NamedTuple):
    """How bad it is here, how sure, and what it does."""

    severity: Severity
    confidence: Confidence
    words: str = ""


def check(
    environment: Environment,
    network: Network,
    transports: Transports | None,
    expectations: Expectations | None,
    warnings: Warnings | None,
    sweeps: Sweeps | None,
) -> Iterator[Finding]:
    """One finding for each value with a name that took in longer ones."""
    used = {device.name: device for device in network.devices if device.transport == "IB"}
    judged: set[str] = set()
    for setting in environment.settings:
        value = setting.value.strip()
        if setting.name not in _NAMES or value.startswith(("^", "=")) or value in judged:
            continue  # "^" leaves out, "=" takes exact names
        judged.add(value)
        asked = [part.split(":")[0] for part in value.split(",") if part]
        extra = [name for name in used if name not in asked and any(_continues(name, prefix) for prefix in asked)]
        if not extra:
            continue
        weight = _weight(extra, network, transports, expectations)
        explains: tuple[str, ...] = _EXPLAINS if weight.severity == "error" else ("hca-list-wrong",)
        if _is_other_fabric(used, asked, extra) and _connections_failed(warnings, sweeps):
            weight = _Weight("critical", "likely", "; they are of another fabric, and connections failed")
            explains = (*_EXPLAINS, *_OTHER_FABRIC)
        yield finding(
            "hca-name-prefix-match",
            f"{setting.name}={value} also takes {listed(extra)}: without = the names are prefixes{weight.words}",
            severity=weight.severity,
            confidence=weight.confidence,
            evidence=(
                line_evidence(setting.ref, observed=value, expected=f"={value}"),
                *lines_evidence(used[n].ref for n in extra),
            ),
            suspects=(*suspects("setting", [setting.name]), *suspects("hca", extra)),
            explains=explains,
            remedy=[("Ask for exact names.", export(setting.name, f"={value}"))],
            references=[f"{NCCL_ENV}#nccl-ib-hca"],
        )


def _continues(name: str, prefix: str) -> bool:
    """``mlx5_10`` continues ``mlx5_1`` by digits; ``mlx5`` is a prefix on purpose."""
    return prefix[-1:].isdecimal() and name.startswith(prefix) and name[len(prefix) :].isdecimal()


def _is_other_fabric(used: Mapping[str, NetDevice], asked: Sequence[str], extra: Sequence[str]) -> bool:
    """Have the devices that were meant and those that were not other link layers?"""
    meant = {used[name].link_layer for name in asked if name in used}
    return None not in meant and len(meant) == 1 and any(used[name].link_layer not in (None, *meant) for name in extra)


def _connections_failed(warnings: Warnings | None, sweeps: Sweeps | None) -> bool:
    """Queue pairs or transfers, and no run followed that came to its end."""
    failed = (*reported(warnings, None, "ib-modify-qp-failed"), *completions(warnings, None, RETRY))
    return bool(failed) and not overcome(refs_of(failed), sweeps)


def _weight(
    extra: Sequence[str], network: Network, transports: Transports | None, expectations: Expectations | None
) -> _Weight:
    """By what the channels between nodes use, and what a benchmark over them reached."""
    between = transports.inter if transports is not None else Edges()
    edges = between.of(lambda kind: kind.net_device is not None).first_of_each()
    names = {(device.process.host, device.index): device.name for device in network.devices if device.transport == "IB"}
    used = [names.get((edge.process.host, edge.net_device or 0)) for edge in edges]
    over = [name for name in extra if name in used]
    if not over:
        if used and None not in used:
            return _Weight("info", "likely", "; no channel goes over them")
        # Nothing tells whether channels go over them; where the benchmark is slow, they may be why.
        return _Weight("error" if _shown_healthy(expectations) is False else "warning", "likely")
    healthy = _shown_healthy(expectations)
    words = f"; channels between nodes go over {listed(over)}"
    return _Weight("warning" if healthy is None else "info" if healthy else "error", "certain", words)


def _shown_healthy(expectations: Expectations | None) -> bool | None:
    """Did every benchmark between nodes reach what it should? None where there is none; False where nothing tells."""
    if expectations is None:
        return None
    judged = [each for each in expectations.sweeps if each.sweep.nnodes != 1]
    unsettled = [each for each in expectations.open if each.sweep.nnodes != 1]
    if not judged and not unsettled:
        return False if expectations.unjudged else None
    return not unsettled and all((each.sweep.peak_busbw_gbs or 0.0) >= each.warn_below_gbs for each in judged)
