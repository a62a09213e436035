"""The cells of an acceptance as CSV: a row for each cell, and the record's own words in rows before them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from slowlink.model.acceptance import Acceptance
from slowlink.report.acceptance.words import RESULTS, STATES, contract_words, limit_of
from slowlink.report.escape import for_spreadsheets

COLUMNS = (
    *("level", "node", "hca", "check", "required", "state", "measured", "unit", "expected", "basis"),
    *("causes", "why", "subject", "evidence"),
)
RECORD = "record"
"""Level of the rows that are no cells: ``check`` names the value, ``measured`` is it."""


def table_text(record: Acceptance) -> str:
    """CSV with a header, as RFC 4180 has it. A cell that begins like a formula has an apostrophe there."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([for_spreadsheets(value) for value in row] for row in _rows(record))
    return out.getvalue()


def _rows(record: Acceptance) -> Iterator[Sequence[str]]:
    for name, value in _own(record):
        yield (RECORD, "", "", name, "", "", value, *[""] * (len(COLUMNS) - 7))
    required = {check.id: "yes" if check.required else "no" for check in record.checks}
    for node, hca, cell in record.rows():
        limit = limit_of(record, cell)
        level = "hca" if hca else "node" if node else "cluster"
        yield (
            *(level, node, hca, cell.check, required.get(cell.check, ""), STATES[cell.state]),
            *(cell.measured, cell.unit, limit.expected, limit.basis),
            *(" ".join(cell.causes), cell.why, cell.subject, " ".join(cell.evidence)),
        )


def _own(record: Acceptance) -> Iterator[tuple[str, str]]:
    yield "result", RESULTS[record.result]
    yield "headline", record.headline
    yield "contract", contract_words(record)
    yield "basis", record.contract.basis
    yield "fail on", record.contract.fail_on
    yield "policy", record.contract.policy
    yield "slowlink", record.slowlink
    yield "schema", record.schema
    for each in record.evidence:
        yield "evidence", f"{each.sha256}  {each.path}"
    yield "seal", record.seal
