"""What the history keeps of a report: plain records, as ``store`` writes and reads them (docs/history.md)."""

from __future__ import annotations

from msgspec import Struct

LATENCY_BYTES = 1024
"""Up to here a time is a latency."""


class SeriesKey(Struct, frozen=True):
    """The same question, asked again and again: only values of one key are ever held against one another."""

    system: str
    """Of the catalogue; "" where none is known."""
    gpu: str
    nodes: str
    """Folded; "" where the input names none."""
    nnodes: int | None
    nranks: int | None
    collective: str
    datatype: str
    redop: str
    engine: str
    """The program that measured, without its version: ``nccl-tests``."""
    largest_bytes: int
    """The largest size: a plateau is that of the sizes that were asked."""


class PointRecord(Struct, frozen=True):
    """One measured size."""

    size_bytes: int
    placement: str
    time_us: float | None
    algbw_gbs: float | None
    busbw_gbs: float | None
    doubtful: bool


class SweepRecord(Struct, frozen=True):
    """One launch of a benchmark."""

    key: SeriesKey
    engine: str
    library: str
    complete: bool
    """The whole table is there and no result in it is wrong: else its numbers count nowhere."""
    plateau_busbw_gbs: float | None
    """Median over the sizes from a quarter of the largest one up, GB/s."""
    latency_us: float | None
    """Median time of the sizes up to 1 KiB."""
    expected_low_gbs: float | None
    expected_high_gbs: float | None
    basis: str
    """The sentence that derives what was expected; "" where nothing was."""
    points: tuple[PointRecord, ...]


class FindingRecord(Struct, frozen=True):
    """A root cause that was diagnosed."""

    cause: str
    title: str
    severity: str
    confidence: str
    suspects: str
    message: str


class FactRecord(Struct, frozen=True):
    """One fact of the environment: a setting, a version, what a node is made of, its boot, or a setting of the job."""

    attribute: str
    """Id in the catalogue of attributes; ``job:NCCL_ALGO`` for one of the job."""
    part: str
    """``0,1`` ...; "" for the node or the job itself."""
    nodes: str
    value: str


class RunRecord(Struct, frozen=True):
    """One report, to be kept."""

    content: str
    """SHA-256 in hex: the same report is kept once."""
    at: float
    """Seconds since the epoch."""
    at_basis: str
    """``bundle`` where the manifest says when it was measured, ``stored`` where nothing does."""
    command: str
    """``run``, ``check`` ..."""
    argv: str
    job: str
    bundle: str
    verdict: str
    headline: str
    slowlink: str
    system: str
    gpu: str
    nodes: str
    nnodes: int | None
    environment: str
    """SHA-256 of all facts, those of boots too."""
    fingerprint: str
    """SHA-256 of the facts that somebody sets or installs: a reboot alone leaves it as it is."""
    facts: tuple[FactRecord, ...]
    sweeps: tuple[SweepRecord, ...]
    findings: tuple[FindingRecord, ...]
    document: bytes | None
    """The whole report, JSON packed with zstd; None where it is too large."""


class StoredRun(Struct, frozen=True):
    """One line of the list."""

    id: int
    at: float
    at_basis: str
    command: str
    verdict: str
    headline: str
    system: str
    gpu: str
    nodes: str
    nnodes: int | None
    job: str
    collectives: str
    peak_busbw_gbs: float | None
    """The best plateau of the run, GB/s."""
    bundle: str
    fingerprint: str
    slowlink: str


class StoredSeries(Struct, frozen=True):
    """One question, and how often it was asked."""

    id: int
    key: SeriesKey
    launches: int
    first_at: float
    last_at: float


class SeriesValue(Struct, frozen=True):
    """What one run answered: the median of its launches."""

    run_id: int
    at: float
    value: float
    nodes: str = ""
    """Of the series that it belongs to, where several are shown as one."""


class Change(Struct, frozen=True):
    """Where the level of a series changed."""

    index: int
    """The first value of the new level."""
    before: float
    after: float
    """Medians of the two levels beside it."""
    ratio: float
    """after / before."""
    low: float | None
    high: float | None
    """95 % interval of the ratio, not adjusted for the search; None with fewer than four values on a side."""
    p: float
    """Chance of a change as clear as this in values of one level."""


class Step(Struct, frozen=True):
    """What else was different between two runs that follow one another."""

    before_run: int
    after_run: int
    at: float
    what: tuple[str, ...]
    """In words, what matters most first."""


class TiedChange(Struct, frozen=True):
    """A change of level, and what changed in the environment beside it."""

    change: Change
    run: int
    """The first run of the new level."""
    at: float
    outcome: str
    """``worse`` or ``better``."""
    steps: tuple[Step, ...]
    """Between the two runs on both sides first, then up to two runs away."""


class ShownSeries(Struct, frozen=True):
    """One series with its changes."""

    key: SeriesKey
    quantity: str
    """``plateau_busbw_gbs``, ``latency_us``, ``busbw_gbs`` or ``time_us`` of one size."""
    unit: str
    size_bytes: int | None
    values: tuple[SeriesValue, ...]
    changes: tuple[TiedChange, ...]
    searched: int
    """So many of the newest values were searched for changes."""
    enough: bool
    """False: too few to find any."""


class Kept(Struct, frozen=True):
    """What became of a report that was to be kept."""

    run_id: int
    is_new: bool
    """False: it is in the history already."""
