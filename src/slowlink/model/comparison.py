"""What changed between two reports: DESIGN.md's "it got slower", as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from slowlink.model.report import Confidence, Diagnosis, Verdict

SCHEMA = "slowlink.comparison/1"
Outcome = Literal["slower", "faster", "same", "incomparable"]
"""Of the measurements. ``incomparable``: nothing was measured in both."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two reports in short."""

    name: str
    """What the user gave."""
    verdict: Verdict
    headline: str
    nodes: str
    """Folded; "" when no node's state is known."""


@dataclass(frozen=True, slots=True)
class MeasuredChange:
    """One benchmark that both sides ran over the same ranks."""

    collective: str
    nranks: int
    nnodes: int | None
    datatype: str | None
    quantity: Literal["busbw", "latency"]
    """Bus bandwidth of the large sizes, or time of the small ones."""
    sizes: tuple[int, ...]
    """Bytes; the sizes that count."""
    old: float
    new: float
    """Median over sizes and repetitions."""
    unit: Literal["GB/s", "us"]
    ratio: float
    """new / old, the median over sizes."""
    low: float | None
    high: float | None
    """95 % interval of the ratio; None with fewer than four values a side."""
    outcome: Outcome
    basis: str
    """Why this outcome: the tolerance or the interval."""
    old_place: str
    new_place: str
    """``job.log:12``."""


@dataclass(frozen=True, slots=True)
class StateChange:
    """An attribute of nodes that is not what it was."""

    attribute: str
    title: str
    unit: str
    matters: int
    parts: str
    """Folded: ``gpu [0-7]``; "" for the node itself."""
    nodes: str
    """Folded."""
    count: int
    """Nodes."""
    old: str
    new: str
    """``absent`` for a part that is not there."""


@dataclass(frozen=True, slots=True)
class JobChange:
    """A setting, version or transport of the job that is not what it was."""

    name: str
    """``NCCL_ALGO``, ``nccl``, ``transport`` ..."""
    old: str
    new: str
    """"" when it was not set or not known."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What may explain the change of the measurements."""

    text: str
    confidence: Confidence
    test: str
    """What would settle it."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The whole answer."""

    schema: str
    slowlink: str
    outcome: Outcome
    headline: str
    old: Side
    new: Side
    measured: tuple[MeasuredChange, ...] = ()
    """The largest change first."""
    explanations: tuple[Explanation, ...] = ()
    """The most probable first; empty when nothing changed for the better or worse."""
    appeared: tuple[Diagnosis, ...] = ()
    """Root causes of the new report that the old one had not."""
    gone: tuple[Diagnosis, ...] = ()
    state: tuple[StateChange, ...] = ()
    """What matters most first."""
    job: tuple[JobChange, ...] = ()
    nodes_gone: str = ""
    nodes_added: str = ""
