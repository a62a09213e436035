"""What ``slowlink prepare`` read, planned and did, node by node. The record of it is what a rollback goes by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from slowlink.model.plan import Node

ItemState = Literal["planned", "applied", "failed", "unknown", "restored", "left-alone"]
"""``planned``: not begun. ``applied``: set, and reads so. ``failed``: not set, see ``why``. ``unknown``: begun, and no
answer. ``restored``: as before again. ``left-alone``: somebody else changed it since; never touched again."""


class Change(Struct, frozen=True):
    """One value that a node's shell is to set, if it finds what is expected there."""

    setting: str
    part: str
    expected: tuple[str, ...]
    wanted: str


class Item(Struct, frozen=True):
    """One value of one node that is to be set."""

    setting: str
    part: str
    """A GPU, a bridge, a CPU frequency policy; ``-``: the node itself."""
    before: str
    wanted: str
    state: ItemState = "planned"
    why: str = ""
    left: str | None = None
    """Of a failed item: what it reads after a write of ours that did not give what was wanted; None: as before."""


class PreparedNode(Struct, frozen=True):
    """One node of a record."""

    node: Node
    boot: str
    """Identity of the node's boot, from its kernel; empty when it does not tell."""
    items: tuple[Item, ...]
    until_s: int | None = None
    """Uptime of the node in seconds; later than this, a script that we sent and lost sight of touches nothing."""


class Prepared(Struct, frozen=True):
    """A record: everything that one ``--apply`` was to change, and how far it came."""

    schema: str
    slowlink: str
    created: str
    way: str
    """``local``, ``ssh``, ``slurm``."""
    root: str
    nodes: tuple[PreparedNode, ...]


class Value(Struct, frozen=True):
    """What a node says that one part of a setting is now."""

    setting: str
    part: str
    value: str
    detail: str = ""
    """Limits, offered values: the setting's own affair."""


class Observed(Struct, frozen=True):
    """What one node said of its settings."""

    node: Node
    trouble: str
    """Empty when everything asked for was answered."""
    boot: str = ""
    uptime_s: int = 0
    uid: int | None = None
    values: tuple[Value, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    """(setting, why it is not known)."""


class Wishes(Struct, frozen=True):
    """What settings are to be."""

    wanted: Mapping[str, str]
    """Setting to value; those without one are not asked for."""
    before: Mapping[str, str]
    """Of settings that cannot be read: what they are now, as the user says."""


class NodePlan(Struct, frozen=True):
    """What is to be done on one node."""

    observed: Observed
    items: tuple[Item, ...]
    right: tuple[Value, ...]
    """Not touched: already as they should be."""
    obstacles: tuple[tuple[str, str], ...]
    """(setting, why nothing is planned there)."""
