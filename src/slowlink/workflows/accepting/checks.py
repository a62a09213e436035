"""The checks, in the order of the tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from slowlink.errors import SlowlinkError
from slowlink.model.acceptance import Check, Level

ANALYSIS, COLLECTIVE = "analysis", "collective"
STATE, GPUS, GPU_HEALTH, GPU_LINKS, PCIE = "state", "gpus", "gpu-health", "gpu-links", "pcie"
COPIES, INSIDE, BETWEEN, POLICY, FAULTS = "copies", "inside", "between", "policy", "faults"
PORT, ERRORS, HCA_PCIE, BANDWIDTH, GPU_BANDWIDTH = "port", "errors", "hca-pcie", "bandwidth", "gpu-bandwidth"

_SNAPSHOT = "slowlink snapshot"
_ALL: tuple[tuple[str, Level, str, bool, str], ...] = (
    (ANALYSIS, "cluster", "verdict of slowlink analyze", True, "slowlink analyze says what"),
    (COLLECTIVE, "cluster", "collectives over several nodes", False, "slowlink check"),
    (STATE, "node", "the node answered", True, _SNAPSHOT),
    (GPUS, "node", "GPUs: number and model", True, _SNAPSHOT),
    (GPU_HEALTH, "node", "GPUs: memory and clocks", True, _SNAPSHOT),
    (GPU_LINKS, "node", "links between GPUs", True, _SNAPSHOT),
    (PCIE, "node", "PCIe links of GPUs", True, f"{_SNAPSHOT}, as root"),
    (COPIES, "node", "copies between GPUs and host", False, "nvbandwidth on the node"),
    (INSIDE, "node", "collective inside the node", True, "slowlink check, slowlink run --each-node"),
    (BETWEEN, "node", "collective with other nodes", True, "slowlink check, slowlink run"),
    (POLICY, "node", "as the site's policy says", True, f"{_SNAPSHOT} --policy"),
    (FAULTS, "node", "nothing else accuses it", True, _SNAPSHOT),
    (PORT, "hca", "port: Active, at its rate", True, _SNAPSHOT),
    (ERRORS, "hca", "error counters", True, _SNAPSHOT),
    (HCA_PCIE, "hca", "PCIe link", True, f"{_SNAPSHOT}, as root"),
    (BANDWIDTH, "hca", "bandwidth, host memory", True, "slowlink check, ib_write_bw on each HCA"),
    (GPU_BANDWIDTH, "hca", "bandwidth, GPU memory", False, "slowlink check, ib_write_bw --use_cuda"),
)
_ALWAYS = (ANALYSIS, STATE)
"""Without these anything may be wrong that nobody looked at."""

_OF_NODES: Mapping[str, tuple[str, ...]] = {
    STATE: ("nodes-unanswered", "tool-failed"),
    GPUS: ("gpu-missing",),
    GPU_HEALTH: (
        *("gpu-clocks-throttled", "power-brake", "gpu-memory-errors", "gpu-driver-hung", "gpu-hardware-fault"),
        "duplicate-gpu",
    ),
    GPU_LINKS: (
        *("nvlink-down", "nvlink-fabric-unhealthy", "fabric-manager-down", "nvswitch-error", "imex-channel-missing"),
        *("p2p-disabled", "nvls-unavailable"),
    ),
    PCIE: ("pcie-link-degraded", "pcie-errors"),
    INSIDE: ("busbw-below-expected",),  # which accuses one node where it ran alone
    BETWEEN: ("straggler-node", "straggler-gpu", "straggler-nic", "wrong-results"),
    POLICY: ("policy-not-met", "policy-unchecked"),
}
_OF_HCAS: Mapping[str, tuple[str, ...]] = {
    PORT: ("port-down", "port-rate-low", "subnet-manager-missing", "hca-missing"),
    ERRORS: ("link-errors", "link-flapping"),
    HCA_PCIE: ("pcie-link-degraded", "pcie-errors"),
    BANDWIDTH: ("link-bandwidth-low", "straggler-nic"),
}
_BY_RULE = {"node-slower-alone": INSIDE, "gpu-copies-uneven": COPIES}
"""Rules that say where it was measured, whatever the cause."""


def checks_for(
    *, nodes: int, linked: bool, policy: bool, require: Collection[str], skip: Collection[str]
) -> list[Check]:
    """Those that this contract has. ``linked``: its GPUs have links. Raises SlowlinkError: ``unknown-check``,
    ``usage``."""
    known = {each[0] for each in _ALL}
    for name in (*require, *skip):
        if name not in known:
            raise SlowlinkError(
                f"there is no check '{name}'", hint=f"there are {', '.join(known_names())}", slug="unknown-check"
            )
    if both := sorted({*require} & {*skip}):
        raise SlowlinkError(f"{both[0]} is required and left out", hint="choose one", slug="usage")
    for name in _ALWAYS:
        if name in skip:
            raise SlowlinkError(
                f"{name} cannot be left out", hint="without it nobody knows what was not seen", slug="usage"
            )
    absent = {name for name, is_there in ((BETWEEN, nodes > 1), (GPU_LINKS, linked), (POLICY, policy)) if not is_there}
    if missing := sorted(absent & {*require}):
        raise SlowlinkError(f"this contract has nothing for the check {missing[0]}", hint="leave it out", slug="usage")
    return [
        Check(name, level, title, (needed or name in require) and name not in skip, settles)
        for name, level, title, needed, settles in _ALL
        if name not in absent
    ]


def known_names() -> Sequence[str]:
    return [each[0] for each in _ALL]


def check_of_node(cause: str, rule: str) -> str:
    """The check that a finding about a node fails."""
    if rule in _BY_RULE:
        return _BY_RULE[rule]
    return next((check for check, causes in _OF_NODES.items() if cause in causes), FAULTS)


def check_of_hca(cause: str) -> str:
    """The check that a finding about an HCA fails."""
    return next((check for check, causes in _OF_HCAS.items() if cause in causes), PORT)
