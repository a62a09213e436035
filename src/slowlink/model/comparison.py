"""What changed between two reports, as data: did it get slower, and what else is not what it was."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from slowlink.model.report import Confidence, Diagnosis, Verdict

SCHEMA = "slowlink.comparison/1"
BOOT = "boot-id"
"""Attribute that changes with every boot, and says nothing else."""
Outcome = Literal["slower", "faster", "same", "incomparable"]
"""Of the measurements. ``incomparable``: nothing was measured in both."""


class Side(Struct, frozen=True):
    """One of the two reports in short."""

    name: str
    """What the user gave."""
    verdict: Verdict
    headline: str
    nodes: str
    """Folded; "" when no node's state is known."""
    measured: str
    """Its benchmarks in words; "" without."""
    unread: str = ""
    """What of it was not read, and why, in words; "" where all was."""


class MeasuredChange(Struct, frozen=True):
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
    """Medians over launches, at the size whose ratio is the median."""
    unit: Literal["GB/s", "us"]
    ratio: float
    """new / old."""
    low: float | None
    high: float | None
    """95 % interval of the ratio; None with fewer than four launches a side."""
    outcome: Outcome
    basis: str
    """Why this outcome: the tolerance or the interval."""
    old_place: str
    new_place: str
    """``job.log:12``."""
    not_again: tuple[int, ...] = ()
    """Bytes; large sizes that the old one measured and the new one did not."""

    @property
    def ends_early(self) -> bool:
        """Did the new one stop before the largest size? One that was rounded to whole shares is no other size."""
        return bool(self.not_again) and self.not_again[-1] >= 2 * self.sizes[-1]


class StateChange(Struct, frozen=True):
    """An attribute of nodes that is not what it was."""

    attribute: str
    """Of the catalogue; ``gpu``, ``hca`` or ``port`` for a part that came or went."""
    kind: str
    """Class of the attribute in the catalogue: ``setting``, ``version``, ``shape``, ``state`` or ``identity``."""
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
    """``there`` and ``absent`` for a part that came or went."""

    @property
    def in_words(self) -> str:
        """``node[07,12]: gpu [0-7]: persistence mode: on -> off``; ``node07: hca mlx5_3: there -> absent``; ``node07:
        rebooted``."""
        if self.attribute == BOOT:
            return f"{self.nodes}: rebooted"
        unit = f" {self.unit}" if self.unit else ""
        is_part = self.parts.startswith(f"{self.attribute} ")
        what = [self.parts] if is_part else [part for part in (self.parts, self.title) if part]
        return f"{self.nodes}: {': '.join(what)}: {self.old}{unit} -> {self.new}{unit}"


class JobChange(Struct, frozen=True):
    """A setting, version or transport of the job that is not what it was."""

    name: str
    """``NCCL_ALGO``, ``nccl``, ``transport`` ..."""
    title: str
    """The same for people: ``NCCL``."""
    old: str
    new: str
    """"" when it was not set or not known."""

    @property
    def in_words(self) -> str:
        """``NCCL_ALGO: not set -> Tree``."""
        return f"{self.title}: {self.old or 'not set'} -> {self.new or 'not set'}"


class Explanation(Struct, frozen=True):
    """What may explain the change of the measurements."""

    text: str
    confidence: Confidence
    test: str
    """What would settle it."""


class Comparison(Struct, frozen=True):
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
    nodes_silent: str = ""
    """Those that the new one asked, too, and of which nothing is known now."""
    nodes_added: str = ""

    @property
    def worse(self) -> bool:
        """Slower, with an error that was not there before, or with nodes that do not answer any more."""
        return self.outcome == "slower" or bool(self.new_errors) or bool(self.nodes_silent)

    @property
    def new_errors(self) -> tuple[Diagnosis, ...]:
        """Causes that appeared and are errors, critical ones first."""
        found = [each for each in self.appeared if each.severity in ("error", "critical")]
        return tuple(sorted(found, key=lambda each: each.severity != "critical"))

    @property
    def unread(self) -> tuple[Side, ...]:
        """Sides of which not everything was read: what became worse may stand there, or have stood there before."""
        return tuple(side for side in (self.old, self.new) if side.unread)

    @property
    def unmeasured(self) -> tuple[MeasuredChange, ...]:
        """Benchmarks of which the new one did not measure the largest sizes, while the smaller ones are not slower."""
        return tuple(each for each in self.measured if each.ends_early and each.outcome != "slower")

    @property
    def comparable(self) -> bool:
        """Were measurements compared; or nodes, and no measurements stand beside them that could not be?"""
        only_nodes = not (self.old.measured and self.new.measured) and self.nodes_compared
        return self.outcome != "incomparable" or only_nodes

    @property
    def nodes_compared(self) -> bool:
        """Do both know the state of nodes, and of one node at least the same?"""
        return bool(self.old.nodes and self.new.nodes) and self.nodes_gone != self.old.nodes != self.nodes_silent
