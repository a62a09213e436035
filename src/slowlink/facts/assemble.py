"""Records of all sources joined into one picture. Pure: the same records give the same facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from msgspec.structs import replace

from slowlink.facts.communicators import communicators
from slowlink.facts.differences import differences
from slowlink.facts.environment import environment
from slowlink.facts.hang import flights, injected, ras, ras_questions
from slowlink.facts.hardware import hardware
from slowlink.facts.interruptions import with_echoes
from slowlink.facts.ladder import ladder
from slowlink.facts.mentions import happened
from slowlink.facts.network import network
from slowlink.facts.placing.part_names import with_part_names
from slowlink.facts.placing.places import Places, placed_events, placed_observations
from slowlink.facts.policy import reviewed
from slowlink.facts.probe_runs import joined
from slowlink.facts.state import state
from slowlink.facts.survey import pair_survey
from slowlink.facts.sweeps import sweeps
from slowlink.facts.timed import timed
from slowlink.facts.transports import transports
from slowlink.facts.watched import watched
from slowlink.model.benchmark import MpiTables
from slowlink.model.facts import (
    Calls,
    Commands,
    Events,
    Facts,
    GdrDecisions,
    Hardware,
    Matrices,
    Observations,
    Paces,
    Perftests,
    ProxyCores,
    Sources,
    State,
    Topology,
    Versions,
    Warnings,
)
from slowlink.model.job import JobEvent
from slowlink.model.nccl import LibraryVersion, LogProcess
from slowlink.model.policy import Policy
from slowlink.model.records import Records
from slowlink.parsers.nccl.nccl_log.last_error import last_warning

T = TypeVar("T")
_PARTS_OF_A_VERSION = 3
_NO_MAJOR = 20
"""Of a version of NCCL that PyTorch took apart wrongly."""


def assemble(records: Records, given: Hardware | None = None, policy: Policy | None = None) -> Facts:
    """Facts from records. ``given`` is hardware the user named; it wins over what can be inferred. ``policy``: what the
    nodes must be."""
    places = Places(records)
    records = replace(
        records,
        runs=joined(records.runs),
        events=_events(records, places),
        observations=placed_observations(records.observations, places),
        perftests=tuple(places.place_perftest(run) for run in records.perftests),
        matrices=tuple(places.place_matrix(matrix) for matrix in records.matrices),
    )
    logs = records.logs
    comms = communicators(logs)
    swept = sweeps(records, comms, given.nodes if given is not None else None)
    known = state(records, places)
    events = with_echoes(with_part_names(records.events, known))
    return Facts(
        sources=Sources(records.sources),
        sweeps=swept,
        hardware=hardware(records, swept, comms, given, known),
        communicators=comms,
        transports=transports(logs, comms),
        gdr=_gdr(records),
        network=network(logs, swept, comms),
        topology=_topology(records),
        proxy_cores=_some(ProxyCores, [core for log in logs for core in log.proxy_cores]),
        calls=_some(Calls, [call for log in logs for call in log.calls]),
        environment=environment(records),
        versions=_versions(records),
        warnings=_warnings(records, events),
        events=_some(Events, events),
        commands=_some(Commands, records.commands),
        perftests=_some(Perftests, records.perftests),
        matrices=_some(Matrices, records.matrices),
        mpi_tables=_some(MpiTables, records.mpi_tables),
        observations=_some(Observations, records.observations),
        paces=_some(Paces, records.paces),
        # Pairs of a ladder are set beside one another by its own rule, which knows what was measured.
        survey=pair_survey(None if records.ladders else swept, records.pair_tables),
        state=known,
        differences=differences(known),
        watched=watched(known),
        ras=ras(records),
        ras_questions=ras_questions(records),
        flights=flights(records),
        injected=injected(records),
        ladder=ladder(records, known),
        policy=reviewed(known, policy),
        timed=timed(records.timed),
    )


def state_alone(records: Records) -> State | None:
    """The state that ``assemble`` finds, by all records that tell whose it is: that of all jobs of a heap together."""
    places = Places(records)
    return state(replace(records, events=_events(records, places)), places)


def _events(records: Records, places: Places) -> tuple[JobEvent, ...]:
    return placed_events(happened(records.events, records.observations), places)


def _some(kind: type[T], items: Sequence[object]) -> T | None:
    """A collection, or None when nothing was collected."""
    return kind(tuple(items)) if items else None  # type: ignore[call-arg]


def _gdr(records: Records) -> GdrDecisions | None:
    decisions = tuple(d for log in records.logs for d in log.gdr)
    dmabuf = tuple(ref for log in records.logs for ref in log.dmabuf)
    return GdrDecisions(decisions, dmabuf) if decisions or dmabuf else None


def _warnings(records: Records, events: Sequence[JobEvent]) -> Warnings | None:
    """Those of NCCL's logs, and those that exceptions repeat."""
    repeated = [warning for event in events if (warning := last_warning(event)) is not None]
    logged = [warning for log in records.logs for warning in log.warnings]
    return Warnings((*logged, *repeated)) if records.logs or repeated else None


def _versions(records: Records) -> Versions | None:
    libraries = (*(v for log in records.logs for v in log.versions), *_versions_of_errors(records.events))
    components = tuple(c for log in records.logs for c in log.components)
    return Versions(libraries, components) if libraries or components else None


def _versions_of_errors(events: Sequence[JobEvent]) -> Iterator[LibraryVersion]:
    """PyTorch names it behind NCCL's error. Before 1.11 it printed 2.10.3, whose number is 21003, as 21.0.3."""
    for event in events:
        said = event.groups.get("version", "") if event.kind == "torch-nccl-error" else ""
        parts = [int(part) for part in said.split(".") if part.isdecimal()]
        if len(parts) != _PARTS_OF_A_VERSION:
            continue
        major, minor, patch = parts
        if major >= _NO_MAJOR:
            major, minor = divmod(10 * major + minor, 100)
        process = LogProcess(event.host, None, event.rank)
        yield LibraryVersion("NCCL", f"{major}.{minor}.{patch}", None, process, event.ref)


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
