"""Numbers for Prometheus, before any format: docs/prometheus.md lists them all."""

from __future__ import annotations

from msgspec import Struct

from slowlink.model.baseline import JudgedSeries
from slowlink.model.history import SeriesKey


class MetricSample(Struct, frozen=True):
    """One number."""

    labels: tuple[tuple[str, str], ...]
    """Names and values, in one order for all samples of a family."""
    value: float


class MetricFamily(Struct, frozen=True):
    """All numbers of one name. Each is a gauge: what is newest may lie below what was before."""

    name: str
    help: str
    unit: str
    """Base unit that the name ends with: ``seconds``, ``bytes_per_second``, ``ratio``; "" for counts and states."""
    samples: tuple[MetricSample, ...]


class CauseCount(Struct, frozen=True):
    """How many root causes of a run are alike."""

    cause: str
    severity: str
    count: int


class NewestRun(Struct, frozen=True):
    """The newest of all runs of one command on one set of nodes."""

    run_id: int
    at: float
    """Seconds since the epoch."""
    command: str
    system: str
    nodes: str
    """Folded."""
    verdict: str
    causes: tuple[CauseCount, ...]


class NewestValues(Struct, frozen=True):
    """What the newest run of a series that has a complete table measured: medians of its launches."""

    key: SeriesKey
    run_id: int
    at: float
    """Seconds since the epoch."""
    runs: int
    """Of this series."""
    plateau_busbw_gbs: float | None
    latency_us: float | None
    expected_low_gbs: float | None
    expected_high_gbs: float | None


class BesideBaseline(Struct, frozen=True):
    """One series of a baseline, and the newest run that measured it later."""

    name: str
    version: int
    key: SeriesKey
    outcome: str
    """As ``slowlink baseline compare`` says it, and ``unmeasured`` where no run came after the baseline."""
    judged: JudgedSeries | None
    """None where nothing was comparable."""


class HistoryNow(Struct, frozen=True):
    """All that Prometheus is told of a history."""

    runs: int
    """Kept in all."""
    newest_runs: tuple[NewestRun, ...]
    series: tuple[NewestValues, ...]
    baselines: tuple[BesideBaseline, ...]
    left_out: tuple[tuple[str, int], ...]
    """Of ``runs``, ``series`` and ``baselines``: how many more there are than are told."""
