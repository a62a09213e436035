"""What a run knows of each of its measurements, and whom it tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct, field

from slowlink.model.plan import Ended, Plan
from slowlink.workflows.live import LiveRow

if TYPE_CHECKING:
    from slowlink.bundle import BundleWriter
    from slowlink.expect.busbw import Prediction
    from slowlink.workflows.standing_ranks import StandingRanks

KINDS = {"nvbandwidth": "nvbandwidth", "perftest": "perftest"}
"""Benchmark -> kind of its captures; all others print tables of collectives."""
COLLECTIVE_KIND = "collective"


class About(Struct, frozen=True):
    """A measurement in words, for who looks on."""

    title: str
    """``all_reduce, 16 ranks on 2 nodes``."""
    sizes: int
    """Rows that its table will have."""
    expected: Prediction | None = None


class Watcher(Protocol):
    """Is told what happens while it happens."""

    def launched(self, number: int, total: int, about: About) -> None:
        """A launch begins; ``number`` counts from 1."""

    def row(self, number: int, row: LiveRow) -> None:
        """A row of launch ``number`` is there."""

    def noticed(self, words: str) -> None:
        """Something is wrong with ranks while nothing is heard of them."""

    def node_ended(self, node: str, row: LiveRow | None, ended: Ended) -> None:
        """A node that measures by itself is done: its last row, and its end."""

    def ended(self, number: int, ended: Ended) -> None:
        """A launch is over."""


class Limits(Struct, frozen=True):
    """When a run is given up."""

    timeout_s: float | None
    silent_after_s: float | None
    ranks: StandingRanks | None = None
    """Looks at the ranks of a run that is silent; None where that cannot be."""
    notes_rows: bool = False
    """Keep when each row came: the nodes are watched meanwhile."""


class Launch(Struct, frozen=True):
    """One launch: its name in the bundle and its end."""

    name: str
    ended: Ended
    missing: Mapping[str, str] = field(default_factory=dict)
    """Node -> why what its ranks wrote is not, or not all, in the bundle."""


class Leg(Protocol):
    """One of the measurements of a run: it is launched once or more."""

    name: str
    """Its second launch is the capture ``NAME-2``, or captures below it."""
    about: About

    @property
    def plan(self) -> Plan:
        """What is started."""

    @property
    def captures(self) -> int:
        """How many launches are to be judged each time."""

    def launch(
        self, number: int, bundle: BundleWriter, workplace: Path, limits: Limits, watcher: Watcher
    ) -> Sequence[Launch]:
        """Measure once, into ``bundle``. Raises SlowlinkError when it cannot be written."""

    def close(self) -> None:
        """At the end, also of a run that failed: nothing is left on the nodes."""
