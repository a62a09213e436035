"""Accepted, refused or incomplete: from the cells alone."""

from __future__ import annotations

from collections.abc import Sequence

from slowlink.model.acceptance import AcceptedNode, Cell, Check, Result
from slowlink.nodes import fold


def result_of(checks: Sequence[Check], cluster: Sequence[Cell], nodes: Sequence[AcceptedNode]) -> Result:
    """Refused where anything failed; accepted where everything that is required passed, everywhere."""
    required = {check.id for check in checks if check.required}
    hcas = [hca for node in nodes for hca in node.hcas]
    of_levels = [
        *(("cluster", cluster),),
        *(("node", node.cells) for node in nodes),
        *(("hca", hca.cells) for hca in hcas),
    ]
    if any(cell.state == "fail" for _, cells in of_levels for cell in cells):
        return "refused"
    whole = nodes and all(
        required & {check.id for check in checks if check.level == level} <= _passed(cells, required)
        for level, cells in of_levels
    )
    return "accepted" if whole else "incomplete"


def _passed(cells: Sequence[Cell], required: set[str]) -> set[str]:
    """Checks of which there is a cell, and of which each passed."""
    there = {cell.check for cell in cells}
    return there - {cell.check for cell in cells if cell.check in required and cell.state != "pass"}


def headline_of(result: Result, checks: Sequence[Check], cluster: Sequence[Cell], nodes: Sequence[AcceptedNode]) -> str:
    """One sentence with the numbers."""
    hcas = sum(len(node.hcas) for node in nodes)
    total = f"{len(nodes)} node{'s' if len(nodes) != 1 else ''} and {hcas} HCAs"
    failed = [node.name for node in nodes if node.state == "fail"]
    left = [node.name for node in nodes if node.state in ("open", "not-measured")]
    if result == "accepted":
        count = sum(check.required for check in checks)
        return f"{total} passed all {count} required checks"
    if result == "refused":
        who = f"{len(failed)} of {len(nodes)} nodes failed: {fold(failed)}" if failed else _of_no_node(cluster)
        return who + (f"; {len(left)} more are not wholly measured" if left else "")
    if left:
        return f"{len(left)} of {len(nodes)} nodes are not wholly measured: {fold(left)}"
    return f"the nodes passed, and the whole is open: {next((c.why for c in cluster if c.state != 'pass'), '')}"


def _of_no_node(cluster: Sequence[Cell]) -> str:
    failed = next((cell for cell in cluster if cell.state == "fail"), None)
    return f"no single node failed, and yet: {failed.why}" if failed is not None else "a check failed"
