"""What ``slowlink check`` set out to do, as it lies in its bundle (``captures/ladder/ladder.json``)::

    {"schema": "slowlink.ladder/1", "nodes": ["gpu01", "gpu02"], "on_gpu": true,
     "absent": {"port": "no node has an HCA"},
     "tests": [{"layer": "one-rank", "name": "one-rank", "nodes": ["gpu01", "gpu02"],
                "collective": "all_reduce", "ranks_per_node": 1}],
     "stopped": ""}

Source: ``workflows/climb/record.py``. Keys that a later version adds are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from msgspec import ValidationError, convert
from msgspec.structs import replace

from slowlink.model.ladder import LADDER_SCHEMA, LadderPlan
from slowlink.model.source import Ref
from slowlink.parsers.forms.limit import Limit

MAX_TESTS = Limit(100_000, "tests of a ladder")


class LadderPlanDocument:
    """Gives the plan."""

    kind: ClassVar[str] = "ladder-plan"

    @staticmethod
    def wants_document(value: object) -> bool:
        """A report holds a waterfall under the same schema; a plan has tests."""
        return isinstance(value, dict) and value.get("schema") == LADDER_SCHEMA and isinstance(value.get("tests"), list)

    def read(self, value: object, source: str, line: int) -> Iterable[LadderPlan]:
        """One, or none where a part of it has another type than it should."""
        plain: dict[str, Any] = dict(value) if isinstance(value, dict) else {}
        plain.pop("ref", None)
        if isinstance(tests := plain.get("tests"), list):
            plain["tests"] = MAX_TESTS.first(tests)
        try:
            plan = convert(plain, LadderPlan)
        except ValidationError:
            return ()
        return (replace(plan, ref=Ref(source, line, "the plan of a ladder")),)


DOCUMENT = LadderPlanDocument
