"""What may be done about a report: which nodes not to use, and which ports."""

from __future__ import annotations

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
