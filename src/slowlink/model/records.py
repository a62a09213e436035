"""What the parsers give: every record of every source."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from slowlink.model.benchmark import BandwidthMatrix, CollectiveRun, MpiTable, PairTable, PerftestRun
from slowlink.model.hang import FaultInjected, FlightDump, RasAsked, RasSnapshot
from slowlink.model.job import Command, JobEvent, Observation, TrainingPace
from slowlink.model.ladder import LadderPlan
from slowlink.model.nccl import EnvSetting, NcclLog
from slowlink.model.source import Passage, SourceStats
from slowlink.model.state import Collected, Origin, Reading
from slowlink.model.timed_calls import TimedCalls


class Records(Struct, frozen=True):
    """All records in order of source and line."""

    runs: tuple[CollectiveRun, ...] = ()
    perftests: tuple[PerftestRun, ...] = ()
    matrices: tuple[BandwidthMatrix, ...] = ()
    mpi_tables: tuple[MpiTable, ...] = ()
    pair_tables: tuple[PairTable, ...] = ()
    logs: tuple[NcclLog, ...] = ()
    events: tuple[JobEvent, ...] = ()
    commands: tuple[Command, ...] = ()
    env: tuple[EnvSetting, ...] = ()
    """Settings from outside NCCL's log: exports, mpirun -x, manifests, env dumps."""
    observations: tuple[Observation, ...] = ()
    paces: tuple[TrainingPace, ...] = ()
    readings: Sequence[Reading] = ()
    collected: tuple[Collected, ...] = ()
    origins: tuple[Origin, ...] = ()
    ras: tuple[RasSnapshot, ...] = ()
    ras_asked: tuple[RasAsked, ...] = ()
    flights: tuple[FlightDump, ...] = ()
    injected: tuple[FaultInjected, ...] = ()
    ladders: tuple[LadderPlan, ...] = ()
    timed: tuple[TimedCalls, ...] = ()
    """Calls of collectives in a running job, on each rank."""
    passages: tuple[Passage, ...] = ()
    """Lines of documents that only describe failures."""
    sources: tuple[SourceStats, ...] = ()
