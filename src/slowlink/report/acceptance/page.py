"""An acceptance as one page that loads nothing, runs nothing, and prints: a summary, then a page for each node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from slowlink.model.acceptance import Acceptance, AcceptedNode, Cell, CellState, Check
from slowlink.report.acceptance.words import RESULTS, SEAL_MEANS, STATES, contract_words, measured_of
from slowlink.report.template_files import new_environment, resource

_CSP = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_SHORT = {"pass": "pass", "fail": "FAIL", "open": "open", "not-measured": "\N{EN DASH}"}


class SummaryRow(Struct, frozen=True):
    """A node of the first table: the worst of each check."""

    name: str
    anchor: str
    state: CellState
    cells: tuple[tuple[str, str], ...]
    """(state, short word) of each check; of an HCA's check the worst of its HCAs, with their number."""


def page_text(record: Acceptance) -> str:
    from markupsafe import Markup

    of_nodes = [check for check in record.checks if check.level == "node"]
    of_hcas = [check for check in record.checks if check.level == "hca"]
    required = {check.id for check in record.checks if check.required}
    values: dict[str, Any] = {
        "record": record,
        "csp": Markup(_CSP),  # noqa: S704  a constant
        "style": Markup(resource("acceptance.css")),  # noqa: S704  our own file
        "result": RESULTS[record.result],
        "states": STATES,
        "contract": contract_words(record),
        "seal_means": SEAL_MEANS,
        "node_checks": of_nodes,
        "hca_checks": of_hcas,
        "titles": {check.id: check for check in record.checks},
        "counts": list(_counts(record)),
        "summary": [_summary(number, node, of_nodes, of_hcas) for number, node in enumerate(record.nodes)],
        "measured": measured_of,
        "asked": lambda cell: cell.state != "not-measured" or cell.check in required,
        "tolerances": [f"{rule}: {dict(values)}" for rule, values in sorted(record.contract.tolerances.items())],
    }
    return new_environment().get_template("acceptance.html").render(values)


def _counts(record: Acceptance) -> Iterator[tuple[Check, Counter[str]]]:
    states: dict[str, Counter[str]] = {}
    for _, _, cell in record.rows():
        states.setdefault(cell.check, Counter())[cell.state] += 1
    yield from ((check, states.get(check.id, Counter())) for check in record.checks)


def _summary(number: int, node: AcceptedNode, of_nodes: Sequence[Check], of_hcas: Sequence[Check]) -> SummaryRow:
    cells = {cell.check: cell for cell in node.cells}
    shown = [_short(cells[check.id].state) for check in of_nodes if check.id in cells]
    for check in of_hcas:
        shown.append(_worst([cell for hca in node.hcas for cell in hca.cells if cell.check == check.id]))
    return SummaryRow(node.name, f"n{number + 1}", node.state, tuple(shown))


def _short(state: CellState) -> tuple[str, str]:
    return state, _SHORT[state]


def _worst(cells: Sequence[Cell]) -> tuple[str, str]:
    """``FAIL 1 of 8``."""
    for state in ("fail", "not-measured", "open"):
        if number := sum(cell.state == state for cell in cells):
            return state, _SHORT[state] + (f" {number}/{len(cells)}" if number < len(cells) else "")
    return ("pass", _SHORT["pass"]) if cells else ("not-measured", _SHORT["not-measured"])
