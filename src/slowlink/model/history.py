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


class Kept(Struct, frozen=True):
    """What became of a report that was to be kept."""

    run_id: int
    is_new: bool
    """False: it is in the history already."""
