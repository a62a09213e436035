"""The JSON schema of the report, made from the dataclasses themselves, so that it cannot drift from them."""

from __future__ import annotations

import json
from typing import Any

from slowlink.model.report import Report
from slowlink.report.json import SCHEMA

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def _with_null(node: Any) -> Any:
    """Every number may be null, which is how a value that is not finite is written."""
    if isinstance(node, dict):
        if node.get("type") == "number":
            return {**node, "type": ["number", "null"]}
        return {key: _with_null(item) for key, item in node.items()}
    return [_with_null(item) for item in node] if isinstance(node, list) else node


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``--format json`` prints. Additional keys are allowed."""
    from pydantic import TypeAdapter

    made = _with_null(TypeAdapter(Report).json_schema(mode="serialization"))
    made["properties"]["schema"] = {"const": SCHEMA}
    return {"$schema": _DIALECT, **made, "title": SCHEMA}


def schema_text() -> str:
    """The schema as it is published in docs/report.schema.json."""
    return json.dumps(schema(), indent=2) + "\n"
