"""The limit of locked memory is too small for RDMA.

RDMA pins the memory that it uses, and pinned memory counts towards RLIMIT_MEMLOCK (``ulimit -l``). Once the limit is
reached, ibv_reg_mr, ibv_create_cq or ibv_create_qp fail with "Cannot allocate memory", and perftest "couldn't allocate
MR". A limit below 64 GiB that a node shows is an error if the node has HCAs, else only worth knowing. Each login and
each service has a limit of its own: where memory could not be registered, the smallest one counts, also beside others
that are unlimited.

Why it matters: no RDMA connection is made; the job fails or falls back to sockets.
How to confirm: ``ulimit -l`` in the job itself (through the same launcher), not in a login shell.
What to do: set it to unlimited in /etc/security/limits.conf; ``LimitMEMLOCK=infinity`` for the service of slurmd, sshd
or the container runtime; ``--ulimit memlock=-1`` for docker.
When it is wrong: the limit of a login shell says little about the job's. If the job's limit is unlimited already, the
HCA is out of resources (queue pairs, translation entries).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Struct

from slowlink.facts.readings import latest, nodes_of
from slowlink.model.benchmark import PerftestRun
from slowlink.model.facts import Events, Of, Perftests, Readings, Warnings
from slowlink.model.job import JobEvent
from slowlink.model.report import Finding
from slowlink.model.source import Ref
from slowlink.model.state import Reading
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import Proof, finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import IBV_REG_MR, NCCL_TROUBLESHOOTING, RLIMIT
from slowlink.rules.evidence.messages import (
    FAILED_RUN,
    LogMessage,
    at_hosts,
    groups_of,
    happened,
    hosts_of,
    refs_of,
    warned,
)
from slowlink.rules.evidence.node_readings import by_prepare, node_suspects, on_nodes, reading_evidence

CAUSES = ("memlock-limit",)

_CALLS = ("ib-reg-mr-failed", "ib-create-failed", "ib-call-failed")
_REMEDY = [
    ("See the limit inside the job.", "srun bash -c 'ulimit -l'"),
    ("Lift it for the launcher's service.", "systemctl edit slurmd  # [Service] LimitMEMLOCK=infinity"),
]


class Params(Struct, frozen=True):
    """Which limit is small."""

    enough_gib: float = 64.0
    """GiB: a limit of this size holds what all ranks of a node register. A guess of ours, on the safe side: sites set
    either the default (64 KiB to 8 MiB) or no limit."""


def check(
    warnings: Warnings | None,
    events: Events | None,
    limits: Annotated[Readings, Of("memlock-limit")] | None,
    configured: Annotated[Readings, Of("memlock-configured")] | None,
    adapters: Annotated[Readings, Of("pci-role", "hca-model", "hca-firmware", "port-state")] | None,
    perftests: Perftests | None,
    params: Params,
) -> Iterator[Finding | Proof]:
    """What names the limit, calls that fail for want of memory, and nodes with HCAs whose limit is finite."""
    named = happened(events, "memlock-limit")
    failed = tuple(w for w in warned(warnings, *_CALLS) if "Cannot allocate memory" in w.text)
    if named or failed:
        yield _failed(named, failed)
    now = list(latest(limits.all).values()) if limits is not None else []
    small = [reading for reading in now if _is_small(reading, params)]
    refused = _not_registered(perftests)
    ever = [r for each in (limits, configured) if each is not None for r in each.all if _is_small(r, params)]
    guilty = [reading for reading in ever if any(_same_node(reading, run) for run in refused)]
    if guilty:
        yield _refused(refused, guilty)
    elif small:
        yield _small(small, _nodes_with_hcas(adapters))
    elif now:
        where = f" on {fold(names)}" if (names := nodes_of(now)) else ""
        yield Proof(f"RDMA may lock as much memory as it needs{where}", reading_evidence(now[:1]), weight=0)


def _kib(reading: Reading) -> float:
    """The limit in KiB, as it is printed; infinite for ``unlimited``."""
    number, _, _ = str(reading.value).partition(" ")
    return float(number) if number.isascii() and number.isdecimal() else math.inf


def _is_small(reading: Reading, params: Params) -> bool:
    return _kib(reading) < params.enough_gib * (1 << 20)


def _not_registered(perftests: Perftests | None) -> list[PerftestRun]:
    """Runs of perftest that could not register memory of the host."""
    runs = perftests.all if perftests is not None else ()
    return [r for r in runs if r.gpu_memory in (None, "host") and not r.rows and any(map(_is_refusal, r.errors))]


def _is_refusal(line: Ref) -> bool:
    return "allocate MR" in line.text or "create mr" in line.text.lower()


def _same_node(reading: Reading, run: PerftestRun) -> bool:
    """Did both come from one node? A run whose node nothing names is of a node that the same source tells about."""
    return reading.host == run.host or (run.host in (None, run.source) and reading.ref.source == run.source)


def _refused(runs: Sequence[PerftestRun], guilty: Sequence[Reading]) -> Finding:
    """Memory that could not be registered, and limits that are small enough to be the reason."""
    least = min(guilty, key=_kib)
    lines = [line for run in runs for line in run.errors if _is_refusal(line)]
    return finding(
        "memlock-limit",
        f"{on_nodes(guilty)}memory could not be registered with the HCA, and a locked-memory limit is {least.value}",
        severity="critical",
        confidence="likely",
        evidence=(*reading_evidence([least], expected="unlimited"), *lines_evidence(lines, 2)),
        suspects=node_suspects(guilty),
        explains=("memory-registration-failed", "socket-fallback", *FAILED_RUN),
        remedy=[*_REMEDY, by_prepare("memlock", guilty)],
        references=[RLIMIT, IBV_REG_MR],
    )


def _nodes_with_hcas(adapters: Readings | None) -> set[str | None]:
    known = adapters.all if adapters is not None else ()
    return {r.host for r in known if r.part.kind in ("hca", "port") or r.value == "hca"}


def _small(small: list[Reading], with_hcas: set[str | None]) -> Finding:
    """Nodes that have HCAs; the others only where none has."""
    sure = [reading for reading in small if reading.host in with_hcas]
    bad = sure or small
    return finding(
        "memlock-limit",
        f"{on_nodes(bad)}the locked-memory limit is {bad[0].value} where it was asked"
        + ("; RDMA needs to lock more as soon as ranks register memory" if sure else ""),
        severity="error" if sure else "info",
        confidence="possible",
        evidence=reading_evidence(bad, expected="unlimited"),
        suspects=node_suspects(bad),
        explains=("memory-registration-failed", "socket-fallback"),
        remedy=[*_REMEDY, by_prepare("memlock", bad)],
        references=[RLIMIT, NCCL_TROUBLESHOOTING],
    )


def _failed(named: tuple[JobEvent, ...], failed: tuple[LogMessage, ...]) -> Finding:
    """``named``: messages that name the limit; ``failed``: calls that got no memory."""
    found = (*named, *failed)
    refused = bool(failed) or any(message.groups.get("level") == "ERROR" for message in named)
    hosts = hosts_of(found)
    limit = groups_of(named, "limit")
    call = groups_of(failed, "call")
    what = f"the locked-memory limit is {limit[0]}" if limit else "the locked-memory limit is too small"
    then = f": {call[0] if call else 'an RDMA call'} cannot allocate memory" if failed else ""
    return finding(
        "memlock-limit",
        f"{at_hosts(hosts)}{what}{then}",
        severity="critical" if refused else "warning",
        confidence="certain" if named and failed else "likely",
        evidence=lines_evidence(refs_of(found)),
        suspects=suspects("node", hosts),
        explains=("memory-registration-failed", "socket-fallback", "process-crashed", *FAILED_RUN) if refused else (),
        remedy=_REMEDY,
        references=[RLIMIT, IBV_REG_MR, NCCL_TROUBLESHOOTING],
    )
