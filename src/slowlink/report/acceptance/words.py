"""Words that all forms of an acceptance share."""

from __future__ import annotations

from slowlink.model.acceptance import Acceptance, Cell, CellState, Limit, Result

RESULTS: dict[Result, str] = {"accepted": "ACCEPTED", "refused": "REFUSED", "incomplete": "INCOMPLETE"}
STATES: dict[CellState, str] = {
    "pass": "PASS",
    "fail": "FAIL",
    "open": "OPEN",
    "not-measured": "NOT MEASURED",
}
SEAL_MEANS = (
    "The seal is a SHA-256 over everything in this record and over the sums of the evidence files. It shows that they "
    "are unchanged; it does not show who made them, nor when: it is no signature."
)


def limit_of(record: Acceptance, cell: Cell) -> Limit:
    """What was expected; empty where nothing was."""
    is_known = cell.limit is not None and 0 <= cell.limit < len(record.limits)
    return record.limits[cell.limit] if is_known and cell.limit is not None else Limit("", "")


def measured_of(cell: Cell) -> str:
    """``396.1 Gb/s``."""
    return f"{cell.measured} {cell.unit}".strip() if cell.measured else ""


def contract_words(record: Acceptance) -> str:
    """``gpu[001-128]: 128 nodes, each with 8 x h100-sxm and 8 x 400 Gb/s``."""
    contract = record.contract
    count = f"{contract.node_count} node{'s' if contract.node_count != 1 else ''}"
    each = "" if contract.node_count == 1 else "each "
    gpus = f"{contract.gpus_per_node} x {contract.gpu}" if contract.gpu else f"{contract.gpus_per_node} GPUs"
    return f"{contract.nodes}: {count}, {each}with {gpus} and {contract.nics}"
