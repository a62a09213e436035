"""Experiments: launches with and without something, what they gave, and what follows from that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

Standing = Literal["helps", "harms", "does-not-matter", "open", "not-read", "fails", "not-tried"]
"""``helps``, ``harms``: the whole interval lies beyond the margin. ``does-not-matter``: it lies inside. ``open``: it
does not tell, or nothing was measured. ``not-read``: no log shows that it took effect, and a log would have. ``fails``:
nothing ran with it. ``not-tried``: it cannot matter here."""


class Change(Struct, frozen=True):
    """Something that is switched on or off: variables of the ranks, a load, commands."""

    id: str
    """``NAME=VALUE``; ``-NAME`` for one that is taken away."""
    name: str = ""
    """Of the variable; two changes of one variable are never on together."""
    value: str | None = None
    """None: it is taken away."""
    library: str = ""
    """Whose it is: ``nccl``, ``openmpi``, ``ucx``; "" where nobody knows."""
    why: str = ""
    """What it may do, in words."""
    networks: tuple[str, ...] = ()
    """Where it may matter, as NCCL names networks: ``IB``, ``Socket``; empty: everywhere."""


class Trial(Struct, frozen=True):
    """One launch that an experiment asks for."""

    number: int
    """In the order in which they run, from 1."""
    stage: str
    """``look``, ``screen``, ``confirm``, ``together``; ``compare`` where one change is all that there is."""
    on: tuple[str, ...] = ()
    """Ids of the changes that are on."""
    about: str = ""
    """The id that its pair is about."""
    pair: int = 0
    """Two trials with the same stage, ``about`` and number here are held against one another; 0: none."""


class Late(Struct, frozen=True):
    """How late one rank came in one launch."""

    rank: int
    host: str | None
    late_us: float
    """Median over the iterations, after the middle rank; the mean over sizes."""
    last_share: float
    """Of the iterations: it began last of all."""
    error_us: float = 0.0
    """What the clocks may be off."""
    waited_share: float | None = None
    """Of its calls' time: it could run and had no processor."""


class Iterations(Struct, frozen=True):
    """Every iteration of one size."""

    size_bytes: int
    times_us: tuple[float, ...]


class Launched(Struct, frozen=True):
    """What one trial gave."""

    trial: Trial
    times_us: Mapping[int, float] = field(default_factory=dict)
    """Size -> time of one call. Empty: it does not count."""
    why: str = ""
    """Why it does not count."""
    iterations: tuple[Iterations, ...] = ()
    late: tuple[Late, ...] = ()
    seen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Variable -> values that a log shows to be in force."""
    tells: tuple[str, ...] = ()
    """Libraries whose log says which variables they read."""
    networks: tuple[str, ...] = ()
    """What NCCL says that it uses between nodes: ``IB``, ``Socket`` ..."""
    capture: str = ""
    """Of the bundle."""


class Shift(Struct, frozen=True):
    """By how much something is faster (or slower) than something else: the logarithm of the ratio of their times."""

    estimate: float
    """Above 0: faster. ``expm1`` of it is the gain as a share."""
    low: float
    high: float
    """May be infinite: too few pairs for any statement."""
    pairs: int
    """Of launches; 0: from a screening design."""
    launches: int
    sd: float | None = None
    """Of one pair's difference, robust; None below two."""


class Effect(Struct, frozen=True):
    """What is known of one change."""

    change: Change
    standing: Standing
    shift: Shift | None = None
    by_size: Mapping[int, float] = field(default_factory=dict)
    """Size -> estimate there."""
    reason: str = ""
    """Why it is open, or was not tried; which log shows it."""
    launches_wanted: int | None = None
    """Of each kind that would probably settle an open one, at this noise."""
    in_force: bool | None = None
    """A log shows that it took effect; None: no log says."""


class Tuning(Struct, frozen=True):
    """The answer of ``slowlink tune``."""

    removing: bool
    """Settings were taken away from an environment, not added."""
    effects: tuple[Effect, ...]
    """The most important first."""
    together: Shift | None
    """All changes that help against none, on launches of their own; None where fewer than two help."""
    kept: tuple[str, ...]
    """Ids of changes to keep: they help, and do so together."""
    margin: float
    """As a share: less does not matter."""
    confidence: float
    spread: float | None
    """Between launches of the same: one standard deviation, as a share."""
    launches: int
    failed: int
    notes: tuple[str, ...] = ()
    """What else is to be known: drift, launches that stand out, a plain environment that does not run."""


class Quantity(Struct, frozen=True):
    """One measure of the distribution of iterations, with the change against without it."""

    name: str
    """``mean``, ``median``, ``p99``: of the iterations of a launch."""
    shift: Shift
    """Above 0: slower with the change."""
    off_us: float
    on_us: float
    """Medians over the launches, of the largest size."""


class SlowestRank(Struct, frozen=True):
    """A rank for which the others wait while the change is on."""

    ranks: tuple[int, ...]
    host: str | None
    rise_us: float
    """How much later it comes than without the change; 0 where it does not, and waits for its processor instead."""
    last_off: float
    last_on: float
    """Share of the iterations that it began last of all, without and with the change."""
    z: float
    """Robust, among all ranks."""
    count: int
    """Ranks in all."""
    waits: tuple[float, float] | None = None
    """Share of its time without a processor although it could run, without and with the change, where that shows it."""


class Interference(Struct, frozen=True):
    """The answer of ``slowlink interfere``."""

    change: Change
    standing: Standing
    """``harms``: slower with the change."""
    quantities: tuple[Quantity, ...]
    slowest: tuple[SlowestRank, ...]
    ranks_seen: int
    """Ranks whose lateness was measured; 0: the benchmark does not tell."""
    slowed: tuple[float, float, float] | None
    """Share of the iterations that the change slowed, low, high; None without iterations."""
    margin: float
    confidence: float
    spread: float | None
    pairs: int
    launches: int
    failed: int
    by_lot: bool
    """The order of the launches was drawn by lot; False: two bundles, and all that changed between them counts."""
    launches_wanted: int | None = None
    notes: tuple[str, ...] = ()
