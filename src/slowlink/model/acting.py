"""What may be done about a report: which nodes not to use, and which ports."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from slowlink.model.report import Diagnosis


class AccusedNode(Struct, frozen=True):
    """A node that should not be used."""

    node: str
    diagnoses: tuple[Diagnosis, ...]
    """Those that name it, the worst first."""


class OpenNode(Struct, frozen=True):
    """A node of which the report does not tell whether it is good."""

    node: str
    why: str


class NodesApart(Struct, frozen=True):
    """All nodes that a report knows, each once."""

    accused: tuple[AccusedNode, ...]
    good: tuple[str, ...]
    """They answered, something of them was shown to be right, and nothing speaks against them."""
    open: tuple[OpenNode, ...]
    unplaced: tuple[Diagnosis, ...]
    """What was found and is nobody's: it names no node, or several together, or is the application's own fault."""


class FabricPortAt(Struct, frozen=True):
    """One end of a link that is at fault, as ibportstate names it."""

    link: str
    """``leaf1/5 - spine0/2``."""
    diagnosis: Diagnosis
    lid: int | None
    """Of the switch; None where the report does not have it, or has two."""
    port: int | None
    why: str
    """Why there is none; "" where there is."""


class SchedulerNode(Struct, frozen=True):
    """A node as its scheduler has it."""

    name: str
    host: str
    """What the machine calls itself, as far as the scheduler knows; often the name."""
    out: str = ""
    """How it is kept from new jobs (``drained``, ``down``, ``cordoned``); "" where it takes them."""
    reason: str = ""
    """Of whoever took it out."""
    ours: bool = True
    """False where the scheduler says that somebody else took it out last, whatever the reason still says."""
    version: str = ""
    """What the scheduler wants to hear again, so that a change in between is not lost; "" where it wants nothing."""
    identity: str = ""
    """Tells it from a node of the same name in another cluster."""


class Drain(Struct, frozen=True):
    """A node that is to be taken out of use, by its scheduler's name."""

    node: str
    reason: str


class NotDrained(Struct, frozen=True):
    """An accused node that is left as it is."""

    node: str
    why: str
    amiss: bool
    """Should it have been taken out, and cannot be?"""


class DrainPlan(Struct, frozen=True):
    """Which of the accused nodes are taken out of use."""

    drains: tuple[Drain, ...]
    left: tuple[NotDrained, ...]
    standing: int
    """Nodes that slowlink took out before, and that still are."""
    total: int
    """Nodes of the scheduler."""
    most: int
    """How many may be out by slowlink's word."""

    @property
    def too_many(self) -> bool:
        return bool(self.drains) and self.standing + len(self.drains) > self.most


DrainState = Literal["planned", "unknown", "drained", "failed", "given-back", "left-alone"]
"""``planned``: not begun. ``unknown``: begun, and no answer. ``drained``: taken out by us. ``failed``: not taken out
(``why``). ``given-back``: takes jobs again. ``left-alone``: somebody else took it out; never touched again."""


class DrainedNode(Struct, frozen=True):
    """One node of a record."""

    node: str
    reason: str
    state: DrainState = "planned"
    why: str = ""
    identity: str = ""
    """Of the node that was taken out."""


class Drained(Struct, frozen=True, forbid_unknown_fields=True):
    """A record: the nodes that one ``--apply`` was to take out of use, and how far it came."""

    schema: str
    slowlink: str
    created: str
    scheduler: Literal["slurm", "kubernetes"]
    nodes: tuple[DrainedNode, ...]
