"""A report, or the record of an acceptance, that slowlink wrote as JSON: it lies where the next ``analyze`` looks, and
is no evidence::

    {"schema": "slowlink.report/1", "slowlink": "0.1.0", "verdict": "healthy", "headline": "2 ports are Active",
     "outcomes": [{"rule": "port-down", "outcome": "passed"}]}

Source: ``report/json.py``, ``report/acceptance/record.py``. It names every rule, and a rule is named after a fault:
read as a log it complains of all of them. What it found stands in the inputs that it was made of; what stands before
and behind it in a text is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.parsers.forms.interface import Record

_PARTS = {
    "slowlink.report/": frozenset({"slowlink", "verdict", "headline", "outcomes"}),
    "slowlink.acceptance/": frozenset({"slowlink", "result", "headline", "contract", "seal"}),
}
"""Of every one of each family. What only claims to be one is read as what it is."""


class SavedReport:
    """Claims the document and gives nothing."""

    kind: ClassVar[str] = "report"

    @staticmethod
    def wants_document(value: object) -> bool:
        if not isinstance(value, dict):
            return False
        schema = value.get("schema")
        family = f"{schema.partition('/')[0]}/" if isinstance(schema, str) else ""
        return family in _PARTS and value.keys() >= _PARTS[family]

    def read(self, value: object, source: str, line: int) -> Iterable[Record]:  # noqa: ARG002
        return ()


DOCUMENT = SavedReport
