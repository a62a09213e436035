"""A record of an acceptance that no evidence made: for what reads and shows records."""

from __future__ import annotations

from msgspec.structs import replace

from slowlink.model.acceptance import (
    ACCEPTANCE_SCHEMA,
    Acceptance,
    AcceptedHca,
    AcceptedNode,
    Cell,
    CellState,
    Check,
    Contract,
    EvidenceFile,
    Fault,
    Limit,
)
from slowlink.report.acceptance.record import sealed

CHECKS = (
    Check("analysis", "cluster", "verdict of slowlink analyze", True, "slowlink analyze"),
    Check("state", "node", "the node answered", True, "slowlink snapshot"),
    Check("copies", "node", "copies", False, "nvbandwidth"),
    Check("port", "hca", "port: Active, at its rate", True, "slowlink snapshot"),
)


def node(name: str, state: CellState, port: CellState) -> AcceptedNode:
    ports = Cell("port", port, "400", "Gb/s", 0, evidence=(f"snapshot/{name}/stdout:12",))
    cells = (Cell("state", state, "30", "answers"), Cell("copies", "not-measured", why="no evidence"))
    return AcceptedNode(name, state, cells, (AcceptedHca("mlx5_0", (ports,)),))


def record(*nodes: AcceptedNode, **changes: object) -> Acceptance:
    made = Acceptance(
        schema=ACCEPTANCE_SCHEMA,
        slowlink="0.1.0",
        result="accepted",
        headline="2 nodes and 2 HCAs passed all 3 required checks",
        contract=Contract(
            "gpu[01-02]", 2, 8, "h100-sxm", "1 x 400 Gb/s", 1, "", "NICs given: 1 x 400 Gb/s", "error", ""
        ),
        checks=CHECKS,
        cluster=(Cell("analysis", "pass", "healthy", limit=1),),
        nodes=nodes or (node("gpu01", "pass", "pass"), node("gpu02", "pass", "pass")),
        limits=(Limit("at least 400 Gb/s", "NICs given"), Limit("healthy", "exit status 0")),
        faults=(Fault("node-differs", "info", "certain", "gpu02 differs", False),),
        beside="",
        evidence=(EvidenceFile("snapshot/gpu01/stdout", 4711, "ab" * 32),),
    )
    return sealed(replace(made, **changes))
