"""The ladder: layers from the state of the hosts up to all ranks on all nodes, what each measured, and what is lost
between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from slowlink.model.source import Ref

LADDER_SCHEMA = "slowlink.ladder/1"
AGAIN = "@again"
"""Behind the name of a test that was done once more, since it or one like it was slow: the better one counts."""
RungState = Literal["ok", "measured", "degraded", "broken", "not-run", "absent"]
"""``measured``: there is a number, and nothing to judge it by. ``absent``: this machine has nothing of the kind."""


class LadderTest(Struct, frozen=True):
    """One measurement of a layer."""

    layer: str
    name: str
    """Of its capture in the bundle: ``pairs-host/node1+node2/mlx5_0``, ``all-nodes``."""
    nodes: tuple[str, ...]
    collective: str
    """``ib_write_bw``, ``sendrecv``, ``all_reduce`` ...; "" for the user's own command."""
    ranks_per_node: int | None = None
    """None: as many as a node has GPUs."""
    hca: str = ""
    gpu: int | None = None
    """perftest: the buffer lies in this GPU's memory on both sides; None: host memory."""
    round: int = 1
    """Tests of one round of a layer run side by side."""
    alone: bool = False
    """Its node runs it by itself."""
    env: Mapping[str, str] = field(default_factory=dict)
    fresh: bool = False
    """Without the settings of the user."""


class LadderPlan(Struct, frozen=True):
    """What ``slowlink check`` set out to do; it lies in the bundle, so that anybody can judge it again or go on."""

    nodes: tuple[str, ...]
    on_gpu: bool
    """Collectives run on GPUs, not on CPU memory."""
    absent: Mapping[str, str]
    """Layer -> why it is not there, or was not asked for."""
    tests: tuple[LadderTest, ...]
    notes: Mapping[str, str] = field(default_factory=dict)
    """Layer -> what is to be said of how it is measured."""
    given: Mapping[str, object] = field(default_factory=dict)
    """The options, for whoever goes on with it."""
    stopped: str = ""
    """Why it ended before its end; "" where it did not."""
    ref: Ref = Ref("", 0)


class LadderResult(Struct, frozen=True):
    """How one test ended, and what it gave."""

    test: LadderTest
    gbs: float | None
    """GB/s at large sizes: busbw, or what one link carries; None: no number."""
    trouble: str = ""
    """Why there is no number."""
    ref: Ref | None = None
    """The line of its largest size."""
    repeated: bool = False
    """It was done twice."""
    first_gbs: float | None = None
    again_gbs: float | None = None
    """What it gave the first time and the second, where it was done twice."""
    apart: tuple[float, ...] = ()
    """Logarithms of the ratio of two measurements of one launch that should be alike: both placements of a size."""


class PortRate(Struct, frozen=True):
    """A port of an HCA as its node told it."""

    node: str
    port: str
    rate_gbit: float
    is_up: bool
    ref: Ref


class Ladder(Struct, frozen=True):
    """A plan with everything that was measured for it."""

    plan: LadderPlan
    results: tuple[LadderResult, ...]
    """Of tests that were run, in the order of the plan."""
    ports: tuple[PortRate, ...] = ()
    lost: tuple[str, ...] = ()
    """Nodes that did not answer when they were asked for their state."""
    answered: int = 0


class Blamed(Struct, frozen=True):
    """A part that is slower than its like in the same layer."""

    kind: Literal["node", "hca", "path", "port"]
    name: str
    gbs: float
    """What it gives; 0 where it gave no number."""
    usual_gbs: float


class Share(Struct, frozen=True):
    """A part of a loss, and what explains it."""

    cause: str
    """Id in the catalogue of causes."""
    where: str
    gbs: float | None
    """Measured; None: the cause was found, and nobody measured what it costs here."""
    how: str


class Rung(Struct, frozen=True):
    """One layer as a step of the waterfall. Bandwidths are GB/s of this layer's own kind."""

    layer: str
    title: str
    state: RungState
    why: str = ""
    """Of its state, in words."""
    ceiling_gbs: float | None = None
    """What the layers below allow here."""
    basis: str = ""
    """How the ceiling is known."""
    usual_gbs: float | None = None
    """What most of its tests give."""
    least_gbs: float | None = None
    """What its slowest test gives: the ceiling for what stands on it."""
    least_at: str = ""
    tests: int = 0
    planned: int = 0
    lost_gbs: float | None = None
    """Below the ceiling; where there is none, below what is usual. None: nothing to compare with."""
    blamed: tuple[Blamed, ...] = ()
    open: tuple[str, ...] = ()
    """What could not be told apart, in words."""
    explained: tuple[Share, ...] = ()
    unexplained_gbs: float | None = None


class Predicted(Struct, frozen=True):
    """What one hypothesis says of the outcome of an experiment; "" where it says nothing."""

    cause: str
    outcome: str


class Experiment(Struct, frozen=True):
    """One question of the maintainers' interview, asked of this machine or to be asked."""

    id: str
    title: str
    env: Mapping[str, str]
    command: str
    """Shell, ready to copy."""
    predictions: tuple[Predicted, ...]
    """Of the hypotheses that stood when it was chosen."""
    outcome: str = ""
    """``better``, ``same``, ``worse``, ``finishes``, ``hangs``; "": not done."""
    gbs: float | None = None
    base_gbs: float | None = None
    ruled_out: tuple[str, ...] = ()
    """Causes that it did away with."""


class Interview(Struct, frozen=True):
    """Which hypotheses the experiments left."""

    symptom: Literal["loss", "hang"]
    layer: str
    """Where it shows."""
    done: tuple[Experiment, ...]
    remaining: tuple[str, ...]
    """Causes that fit everything that was seen."""
    next: Experiment | None
    """What would separate them best; None: nothing in the catalogue would."""


class Waterfall(Struct, frozen=True):
    """The whole ladder, from the bottom up."""

    schema: str
    headline: str
    lost_at: str
    """The lowest layer that is degraded or broken; "" for none."""
    rungs: tuple[Rung, ...]
    nodes: tuple[str, ...] = ()
    stopped: str = ""
    interview: Interview | None = None
