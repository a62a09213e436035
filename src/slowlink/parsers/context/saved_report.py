"""A report that slowlink wrote as JSON: it lies where the next ``analyze`` looks, and is no evidence::

    {"schema": "slowlink.report/1", "slowlink": "0.1.0", "verdict": "healthy", "headline": "2 ports are Active",
     "outcomes": [{"rule": "port-down", "outcome": "passed"}]}

Source: ``report/json.py``. It names every rule, and a rule is named after a fault: read as a log it complains of all of
them. What it found stands in the inputs that it was made of; what stands before and behind it in a text is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.parsers.forms.interface import Record

_FAMILY = "slowlink.report/"
_PARTS = frozenset({"slowlink", "verdict", "headline", "outcomes"})
"""Of every report. What only claims to be one is read as what it is."""


class SavedReport:
    """Claims the document and gives nothing."""

    kind: ClassVar[str] = "report"

    @staticmethod
    def wants_document(value: object) -> bool:
        if not isinstance(value, dict) or not value.keys() >= _PARTS:
            return False
        schema = value.get("schema")
        return isinstance(schema, str) and schema.startswith(_FAMILY)

    def read(self, value: object, source: str, line: int) -> Iterable[Record]:  # noqa: ARG002
        return ()


DOCUMENT = SavedReport
