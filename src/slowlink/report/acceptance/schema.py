"""The JSON schema of a record, made from the classes themselves."""

from __future__ import annotations

import json

from slowlink.model.acceptance import ACCEPTANCE_SCHEMA, Acceptance
from slowlink.report.schema import schema_of


def schema_text() -> str:
    """As it is published in docs/acceptance.schema.json."""
    return json.dumps(schema_of(Acceptance, ACCEPTANCE_SCHEMA), indent=2) + "\n"
