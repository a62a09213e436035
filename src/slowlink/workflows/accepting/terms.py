"""What the user says was to be delivered, as the terms that evidence is held against."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from slowlink.catalog.gpus import all_gpus
from slowlink.catalog.systems import all_systems, describe_network
from slowlink.errors import SlowlinkError
from slowlink.model.acceptance import Contract
from slowlink.model.facts import Hardware
from slowlink.model.policy import Policy
from slowlink.nodes import expand, fold
from slowlink.workflows.accepting.accept import Terms
from slowlink.workflows.accepting.checks import checks_for

MOST_NODES = 20_000
"""Of one contract."""
_MOST_HCAS = 256
"""Of one node."""


def terms_of(
    *,
    nodes: str,
    hardware: Hardware | None,
    hcas: str | None,
    policy: Policy | None,
    tolerances: Mapping[str, Mapping[str, object]],
    fail_on: str,
    require: Sequence[str] = (),
    skip: Sequence[str] = (),
) -> Terms:
    """Raises SlowlinkError: ``bad-node-set``; ``contract-incomplete`` where nobody says what a node has: nothing can be
    accepted on nothing; ``usage``, ``unknown-check``."""
    names = expand(nodes, MOST_NODES)
    if hardware is None or not hardware.gpus_per_node or not hardware.nics:
        raise SlowlinkError(
            "how many GPUs and which NICs a node was to have is not said",
            hint="--system hgx_h100 says both; or --gpus-per-node 8 --nics 8x400",
            slug="contract-incomplete",
        )
    count = sum(group.count for group in hardware.nics)
    given = expand(hcas, _MOST_HCAS) if hcas else []
    if given and len(given) != count:
        raise SlowlinkError(
            f"--hcas names {len(given)} HCAs, and the NICs of a node are {count} ({describe_network(hardware.nics)})",
            hint="name as many as the contract has, or give --nics",
            slug="usage",
        )
    contract = Contract(
        nodes=fold(names),
        node_count=len(names),
        gpus_per_node=hardware.gpus_per_node,
        gpu=hardware.gpu or "",
        nics=describe_network(hardware.nics),
        hcas_per_node=count,
        hcas=fold(given) if given else "",
        basis=hardware.basis,
        fail_on=fail_on,
        policy=_policy_name(policy),
        tolerances={name: dict(values) for name, values in tolerances.items()},
    )
    checks = checks_for(
        nodes=len(names), linked=_linked(hardware), policy=policy is not None, require=require, skip=skip
    )
    return Terms(contract, tuple(names), tuple(given), hardware, tuple(checks), policy)


def _policy_name(policy: Policy | None) -> str:
    if policy is None:
        return ""
    try:
        digest = hashlib.sha256(Path(policy.path).read_bytes()).hexdigest()
    except OSError as problem:
        raise SlowlinkError(
            f"cannot read {policy.path}: {problem.strerror}", hint="check the path", slug="input-not-found"
        ) from problem
    return f"{Path(policy.path).name} (SHA-256 {digest})"


def _linked(hardware: Hardware) -> bool:
    """Have its GPUs links of their own? Where nobody names the GPU they are asked for: unknown is not without."""
    system = all_systems().get(hardware.system or "")
    gpu = all_gpus().get(hardware.gpu or "")
    fabric = (
        system.fabric if system is not None and system.fabric is not None else gpu.fabric if gpu is not None else ""
    )
    return hardware.gpus_per_node != 1 and fabric != "none"
