"""The JSON schema of the report, made from the classes themselves, so that it cannot drift from them."""

from __future__ import annotations

import json
from typing import Any

from slowlink.model.report import Report
from slowlink.report.json import SCHEMA

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(kind: type, name: str) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of one of our records that carries ``name`` as its ``schema``."""
    made = answer_schema(kind)
    made["properties"]["schema"] = {"const": name}
    return {"$schema": _DIALECT, **made, "title": name}


def answer_schema(kind: type) -> dict[str, Any]:
    """The same of a record without a name."""
    import msgspec

    made = _as_written(msgspec.json.schema(kind, schema_hook=_anything))
    record: dict[str, Any] = made["$defs"].pop(kind.__name__)
    return {**record, "$defs": made["$defs"]}


def question_schema(kind: type) -> dict[str, Any]:
    """Of a record that somebody sends us: keys with a default may be left out. It refers to no other record."""
    import msgspec

    made = msgspec.json.schema(kind)
    record: dict[str, Any] = made["$defs"][kind.__name__]
    return {key: value for key, value in record.items() if key != "description"}


def _anything(_: type) -> dict[str, Any]:
    """The schema of ``object``, the only type that is none of JSON's: any value will do."""
    return {"description": "any value"}


def _as_written(node: Any) -> Any:
    """Every number may be null, which is how a value that is not finite is written; every key is always written."""
    if isinstance(node, (list, tuple)):
        return [_as_written(item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("type") == "number":
        return {**node, "type": ["number", "null"]}
    made = {key: _as_written(item) for key, item in node.items()}
    if isinstance(made.get("properties"), dict) and made.get("type") == "object":
        made["required"] = list(made["properties"])
    return made


def schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``--format json`` prints. Additional keys are allowed."""
    return schema_of(Report, SCHEMA)


def schema_text() -> str:
    """The schema as it is published in docs/report.schema.json."""
    return json.dumps(schema(), indent=2) + "\n"
