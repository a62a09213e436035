"""NVLink SHARP could not be used.

On NVSwitch machines, from Hopper on, the switch itself can reduce (NVLS). NCCL said that it is not available, or made
no channels for it.

Why it matters: NVLS raises all-reduce inside a node from 365 to 480 GB/s on H100.
How to confirm: ``NCCL_DEBUG=INFO`` prints ``NVLS multicast support is (not) available`` and the number of nvls
channels.
What to do: check the fabric manager and the NVLinks (``nvidia-smi -q | grep -A4 Fabric``); unset NCCL_NVLS_ENABLE=0;
MIG and some virtual machines cannot have it.
When it is wrong: A100, PCIe cards and bridged GPUs (H200 NVL) have no NVLS; communicators with four GPUs or fewer in a
node do not use it, and settings may leave it out (all left out here). It speeds up all-reduce only: where nothing but
other collectives was measured, its absence is not told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from slowlink.catalog.gpus import all_gpus
from slowlink.model.expectations import Expectations, SweepExpectation
from slowlink.model.facts import Communicators, Environment, Hardware, MeasuredSweep, Sweeps, Topology
from slowlink.model.report import Finding
from slowlink.model.source import Ref
from slowlink.rules.evidence.findings import finding, line_evidence, suspects

CAUSES = ("nvls-unavailable",)

_BY_SWITCH = ("busbw:nvls", "busbw:nvlstree")
_FEWEST_GPUS = 5
"""GPUs of one node in a communicator from which NCCL considers NVLS."""


def check(
    topology: Topology,
    hardware: Hardware,
    communicators: Communicators | None,
    expectations: Expectations | None,
    environment: Environment | None,
    sweeps: Sweeps | None,
) -> Iterator[Finding]:
    """Only on GPUs whose catalogue entry has NVLS, with enough of them in one node, and where it would be of use."""
    if _chosen_so(environment) or (sweeps is not None and not any(_gains(sweep) for sweep in sweeps.all)):
        return
    entry = all_gpus().get(hardware.gpu) if hardware.gpu is not None else None
    refused = [n for n in topology.nvls if not n.available]
    local = _local_ranks(communicators, hardware) or (_of_sweeps(sweeps) if refused else 0)
    if entry is None or not entry.nvls or local < _FEWEST_GPUS:
        return
    none = [c for c in topology.channel_counts if c.nvls == 0]
    if any(n.available for n in topology.nvls) or not (refused or none):
        return  # some rank has it, so a count of zero belongs to another communicator; or nothing was logged
    refs: list[Ref] = [n.ref for n in refused[:1]] + [c.ref for c in none[:1]]
    yield finding(
        "nvls-unavailable",
        f"NVLink SHARP is not used although {entry.id} has it: all-reduce inside the node runs as a ring",
        severity="warning",
        confidence="likely" if refused else "possible",
        suspects=suspects("node", [n.process.host for n in refused]),
        evidence=[line_evidence(ref, observed="no NVLS", expected="nvls channels") for ref in refs],
        explains=["busbw-below-expected"] if _explains(expectations) else [],
        remedy=[
            (
                "Look at the fabric's state and the fabric manager.",
                "nvidia-smi -q | grep -A4 Fabric; systemctl status nvidia-fabricmanager",
            )
        ],
    )


def _of_sweeps(sweeps: Sweeps | None) -> int:
    """The most ranks that anything was measured with: nobody says how many of them a node has."""
    return max((sweep.nranks or 0 for sweep in sweeps.all), default=0) if sweeps is not None else 0


def _chosen_so(environment: Environment | None) -> bool:
    """Do the settings leave NVLS out? Then they are what is to be talked about."""
    values = environment.values if environment is not None else {}
    algorithms = [value.upper() for value in values.get("NCCL_ALGO", ())]
    protocols = [value.upper() for value in values.get("NCCL_PROTO", ())]
    return (
        any("NVLS" not in value for value in algorithms)
        or any("SIMPLE" not in value for value in protocols)
        or "0" in values.get("NCCL_NVLS_ENABLE", ())
    )


def _gains(sweep: MeasuredSweep) -> bool:
    """Only an all-reduce is much faster with it."""
    return sweep.collective in (None, "all_reduce")


def _explains(expectations: Expectations | None) -> bool:
    """Does some sweep lack what NVLS adds, and no more? It was compared with what NVLS gives, and does what a ring
    does. A gap to the ring itself has another reason."""
    return any(_lacks_only_that(judged) for judged in (expectations.sweeps if expectations is not None else ()))


def _lacks_only_that(judged: SweepExpectation) -> bool:
    of = {each.quantity: each for each in judged.algorithms}
    ring, measured = of.get("busbw:ring"), judged.sweep.peak_busbw_gbs or 0.0
    return any(name in of for name in _BY_SWITCH) and (ring is None or measured >= ring.low)


def _local_ranks(communicators: Communicators | None, hardware: Hardware) -> int:
    """The most ranks of one node: as NCCL says, else as counted by host, else as many as the node has GPUs."""
    if communicators is None:
        return hardware.gpus_per_node or 0
    local = [c.local_ranks for c in communicators.all if c.local_ranks is not None]
    if local:
        return max(local)
    ranks = Counter(communicators.host_of_rank.values())
    return max(ranks.values(), default=hardware.gpus_per_node or 0)
