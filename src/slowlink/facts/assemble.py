"""Records of all sources joined into one picture. Pure: the same records give the same facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from slowlink.facts.communicators import communicators
from slowlink.facts.differences import differences
from slowlink.facts.environment import environment
from slowlink.facts.hang import flights, injected, ras
from slowlink.facts.hardware import hardware
from slowlink.facts.network import network
from slowlink.facts.probe_runs import joined
from slowlink.facts.state import state
from slowlink.facts.survey import pair_survey
from slowlink.facts.sweeps import sweeps
from slowlink.facts.transports import transports
from slowlink.facts.watched import watched
from slowlink.model.facts import (
    Calls,
    Commands,
    Events,
    Facts,
    GdrDecisions,
    Hardware,
    Matrices,
    Observations,
    Perftests,
    Sources,
    Topology,
    Versions,
    Warnings,
)
from slowlink.model.records import Records

T = TypeVar("T")

MISSING = {
    "sweeps": "no table of a collective benchmark (nccl-tests, rccl-tests, mccl) in the input",
    "hardware": "the input names neither GPU nor system; say it with --system, --gpu or --nics",
    "communicators": "no communicator lines; run with NCCL_DEBUG=INFO",
    "transports": "no channel lines; run with NCCL_DEBUG=INFO (and one collective: connections are made at the first)",
    "gdr": "no GPU Direct RDMA lines; run with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,NET,GRAPH",
    "network": "no network lines of NCCL; run with NCCL_DEBUG=INFO",
    "topology": "no topology lines; run with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING",
    "calls": "no calls of collectives; run with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=COLL",
    "environment": "no settings; run with NCCL_DEBUG=INFO or keep the command line in the log",
    "versions": "no version lines; run with NCCL_DEBUG=VERSION or INFO",
    "warnings": "no lines of NCCL's log; run with NCCL_DEBUG=WARN or INFO",
    "events": "no message of a launcher, scheduler, framework or kernel",
    "commands": "no command line in the input",
    "perftests": "no output of ib_write_bw, ib_read_lat or another perftest program",
    "matrices": "no output of nvbandwidth",
    "observations": "no line about the state of a node",
    "state": "no state of a node; slowlink snapshot asks for it, or give what nvidia-smi -q, ibstat or lspci print",
    "differences": "no state of two or more nodes to compare",
    "ras": "no answer of NCCL's RAS; run ncclras on a node of the job while it hangs",
    "flights": "no flight recorder dump; set TORCH_NCCL_DUMP_ON_TIMEOUT=1 and TORCH_FR_BUFFER_SIZE=2000",
    "injected": "no note of injected faults",
    "watched": "no node was watched during the measurement; slowlink run --watch does it",
    "survey": "not a survey of node pairs (three or more runs over different pairs)",
    "expectations": "no sweep or link could be compared with a bound: hardware unknown",
}


def assemble(records: Records, given: Hardware | None = None) -> Facts:
    """Facts from records. ``given`` is hardware the user named; it wins over what can be inferred."""
    records = replace(records, runs=joined(records.runs))
    logs = records.logs
    comms = communicators(logs)
    swept = sweeps(records, comms)
    known = state(records)
    return Facts(
        sources=Sources(records.sources),
        sweeps=swept,
        hardware=hardware(records, swept, comms, given),
        communicators=comms,
        transports=transports(logs, comms),
        gdr=_gdr(records),
        network=network(logs, swept, comms),
        topology=_topology(records),
        calls=_some(Calls, [call for log in logs for call in log.calls]),
        environment=environment(records),
        versions=_versions(records),
        warnings=Warnings(tuple(w for log in logs for w in log.warnings)) if logs else None,
        events=_some(Events, records.events),
        commands=_some(Commands, records.commands),
        perftests=_some(Perftests, records.perftests),
        matrices=_some(Matrices, records.matrices),
        observations=_some(Observations, records.observations),
        survey=pair_survey(swept),
        state=known,
        differences=differences(known),
        watched=watched(known),
        ras=ras(records),
        flights=flights(records),
        injected=injected(records),
        missing=MISSING,
    )


def _some(kind: type[T], items: Sequence[object]) -> T | None:
    """A collection, or None when nothing was collected."""
    return kind(tuple(items)) if items else None  # type: ignore[call-arg]


def _gdr(records: Records) -> GdrDecisions | None:
    decisions = tuple(d for log in records.logs for d in log.gdr)
    dmabuf = tuple(ref for log in records.logs for ref in log.dmabuf)
    return GdrDecisions(decisions, dmabuf) if decisions or dmabuf else None


def _versions(records: Records) -> Versions | None:
    libraries = tuple(v for log in records.logs for v in log.versions)
    components = tuple(c for log in records.logs for c in log.components)
    return Versions(libraries, components) if libraries or components else None


def _topology(records: Records) -> Topology | None:
    logs = records.logs
    topology = Topology(
        nvls=tuple(n for log in logs for n in log.nvls),
        channel_counts=tuple(c for log in logs for c in log.channel_counts),
        graphs=tuple(g for log in logs for g in log.graphs),
        links=tuple(link for log in logs for link in log.links),
        summaries=tuple(t for log in logs for t in log.topologies),
        algorithms=tuple(a for log in logs for a in log.algorithms),
    )
    empty = Topology((), (), (), (), (), ())
    return None if topology == empty else topology
