"""Baselines: what chosen runs measured, and how a later measurement stands beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from slowlink.model.history import SeriesKey

SCHEMA = "slowlink.baseline/1"
Outcome = Literal["worse", "better", "same", "open"]
"""``open``: the interval allows both no change and a loss that matters."""
OUTCOMES: tuple[Outcome, ...] = ("worse", "open", "better", "same")
"""What decides first where several are compared."""


class LaunchValues(Struct, frozen=True):
    """What one complete launch measured."""

    run_id: int
    plateau_busbw_gbs: float | None
    latency_us: float | None
    busbw_gbs: Mapping[int, float]
    """Size in bytes -> the better placement."""
    time_us: Mapping[int, float]


class MeasuredSeries(Struct, frozen=True):
    """All launches of one question."""

    key: SeriesKey
    launches: tuple[LaunchValues, ...]


class BaselineName(Struct, frozen=True):
    """One line of the list."""

    id: int
    name: str
    version: int
    """Counts from 1: to save a name again makes another version of it."""
    created_at: float
    """Seconds since the epoch."""
    pinned: bool
    """Comparisons take this version, whatever is saved later."""
    note: str


class Baseline(Struct, frozen=True):
    """One version of a name, with all that it holds."""

    about: BaselineName
    runs: tuple[int, ...]
    """The oldest first."""
    series: tuple[MeasuredSeries, ...]


class Judgement(Struct, frozen=True):
    """One quantity, before and now."""

    what: Literal["plateau", "latency", "size"]
    size_bytes: int | None
    unit: Literal["GB/s", "us"]
    old: float
    new: float
    """Medians."""
    gain: float
    """new over old for a bandwidth, old over new for a time: above 1 is better."""
    low: float | None
    high: float | None
    """Interval of ``gain``: 95 % for plateau and latency, and for all sizes together; None with too few values."""
    outcome: Outcome
    basis: str


class JudgedSeries(Struct, frozen=True):
    """One question that both answered."""

    key: SeriesKey
    outcome: Outcome
    judgements: tuple[Judgement, ...]
    """The plateau or the latency first, then sizes."""


class Refused(Struct, frozen=True):
    """What was measured and cannot be compared."""

    key: SeriesKey
    why: str


class SaidOfAll(Struct, frozen=True):
    """What the whole report says in which new values stand: they count only where it is not broken and was read."""

    name: str
    """``run 12``, or what was given."""
    verdict: str
    headline: str
    unread: str
    """What was not read to its end, and why; "" where all was."""


class AgainstBaseline(Struct, frozen=True):
    """The whole answer."""

    schema: str
    baseline: BaselineName
    outcome: Outcome | Literal["incomparable", "broken", "unread"]
    """Nothing is worse, and a new report is ``broken``, or was not read to its end (``unread``)."""
    headline: str
    series: tuple[JudgedSeries, ...]
    refused: tuple[Refused, ...]
    changed: tuple[str, ...]
    """In words: what else is not as it was in the newest run of the baseline."""
    said: tuple[SaidOfAll, ...] = ()
    """Of each new report, the oldest first."""
