"""What a customer accepts of a provider: each node and each HCA of a contract, check after check.

The names and their order are those of its JSON (``docs/acceptance.schema.json``), and of what its seal covers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

ACCEPTANCE_SCHEMA = "slowlink.acceptance/1"
CellState = Literal["pass", "fail", "open", "not-measured"]
"""``open``: something is known, and it does not settle the question. ``not-measured``: nothing is known."""
Level = Literal["cluster", "node", "hca"]
Result = Literal["accepted", "refused", "incomplete"]


class Check(Struct, frozen=True, forbid_unknown_fields=True):
    """One question that is asked of the cluster, of each node or of each HCA."""

    id: str
    level: Level
    title: str
    required: bool
    """Must it have passed? One that is not required still refuses where it failed."""
    settles: str
    """What would answer it, in words."""


class Limit(Struct, frozen=True, forbid_unknown_fields=True):
    """What was expected, and why so much. Cells that expect the same share one."""

    expected: str
    basis: str


class Cell(Struct, frozen=True, forbid_unknown_fields=True):
    """The answer to one check."""

    check: str
    state: CellState
    measured: str = ""
    """A number or a word, in ``unit``; "" where there is none."""
    unit: str = ""
    limit: int | None = None
    """Place in ``Acceptance.limits``."""
    causes: tuple[str, ...] = ()
    """Of the catalogue (``slowlink rules explain CAUSE``), where something was found."""
    why: str = ""
    evidence: tuple[str, ...] = ()
    """``path:line``, the path as in ``Acceptance.evidence``."""
    subject: str = ""
    """What was measured, where a check has several answers: ``all_reduce, 64 ranks, gpu[01-08]``."""


class AcceptedHca(Struct, frozen=True, forbid_unknown_fields=True):
    """One HCA of a node."""

    name: str
    cells: tuple[Cell, ...]


class AcceptedNode(Struct, frozen=True, forbid_unknown_fields=True):
    """One node of the contract."""

    name: str
    state: CellState
    """The worst of its required cells and of those of its HCAs; ``fail`` where any of them failed."""
    cells: tuple[Cell, ...]
    hcas: tuple[AcceptedHca, ...]


class Contract(Struct, frozen=True, forbid_unknown_fields=True):
    """What was to be delivered, and by which rules it is judged."""

    nodes: str
    """Folded: ``gpu[001-128]``."""
    node_count: Annotated[int, Meta(ge=1)]
    gpus_per_node: int
    gpu: str
    """Catalogue id; "" where none was named."""
    nics: str
    """``8 x 400 Gb/s``; "" where none were named."""
    hcas_per_node: int
    hcas: str
    """Their names, folded, where they were given; "": as the evidence names them."""
    basis: str
    fail_on: str
    policy: str
    """The site's policy, by the name and the SHA-256 of its file; "" without one."""
    tolerances: Mapping[str, Mapping[str, object]] = {}
    """Of rules, where the site has its own."""


class EvidenceFile(Struct, frozen=True, forbid_unknown_fields=True):
    """One file that was given as evidence, read or not."""

    path: str
    bytes: int
    sha256: str


class Fault(Struct, frozen=True, forbid_unknown_fields=True):
    """One diagnosis of the whole evidence, as ``slowlink analyze`` gives it."""

    cause: str
    severity: str
    confidence: str
    message: str
    fails: bool


class Acceptance(Struct, frozen=True, forbid_unknown_fields=True):
    """The whole record."""

    schema: str
    slowlink: str
    """Its version: rules and limits are those of this one."""
    result: Result
    headline: str
    contract: Contract
    checks: tuple[Check, ...]
    cluster: tuple[Cell, ...]
    nodes: tuple[AcceptedNode, ...]
    limits: tuple[Limit, ...]
    faults: tuple[Fault, ...]
    beside: str
    """Nodes that the evidence names and the contract does not, folded."""
    evidence: tuple[EvidenceFile, ...]
    seal: str = ""
    """SHA-256 of all of the above, in hexadecimal (docs/accept.md)."""

    def rows(self) -> Iterator[tuple[str, str, Cell]]:
        """(node, HCA, cell) of every cell; "" where it is of the cluster, of a node."""
        yield from (("", "", cell) for cell in self.cluster)
        for node in self.nodes:
            yield from ((node.name, "", cell) for cell in node.cells)
            for hca in node.hcas:
                yield from ((node.name, hca.name, cell) for cell in hca.cells)
