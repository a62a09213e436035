"""From the text of an input to what all rules say of it."""

from __future__ import annotations

from slowlink.catalog.given import given_hardware
from slowlink.expect.assemble import assemble_expectations
from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.rules.engine import Checked, run


def checked(text: str, nics: str | None = None) -> Checked:
    facts = assemble(read([Input("job.log", None, [text.encode()])], workers=1), given_hardware(nics=nics))
    return run(facts, assemble_expectations(facts))
