"""Every parser shows its input: the block below the first line of its docstring that ends with ``::`` is read whole."""

from __future__ import annotations

from importlib import import_module

import pytest
from docstring_samples import sample_in

from slowlink.inputs import Input
from slowlink.parsers import unit_names
from slowlink.parsers.reading.read import read

KINDS = {
    name: {unit.kind for attribute in ("PARSER", "DOCUMENT") if (unit := getattr(module, attribute, None)) is not None}
    for name in unit_names()
    for module in (import_module(name),)
}
NAMES_HOSTS = {"prompts", "host-headings"}
"""They say on which host the lines below were printed, and claim no line: so they are no kind of a source."""
KNOWN_ONLY = {"smpquery", "left-out"}
"""They take lines that bear on no rule, or only say that the source is not whole, and give no record."""

MARKS_ONLY = {"chopped-lines"}
"""They only say that the source is not whole, and leave its lines to others."""

FILES = {"hostname": "etc/hostname"}
"""They know their input by the name of its file."""


@pytest.mark.parametrize("name", [name for name, kinds in KINDS.items() if kinds])
def test_the_sample_in_the_docstring_is_read(name: str) -> None:
    sample = sample_in(import_module(name).__doc__ or "")
    assert sample, "no block below a line that ends with '::'"
    file = next((FILES[kind] for kind in KINDS[name] if kind in FILES), "sample.txt")
    records = read([Input(file, None, [sample.encode()])], workers=1)
    (source,) = records.sources
    if KINDS[name] <= MARKS_ONLY:
        assert source.partial
        return
    if KINDS[name] <= KNOWN_ONLY:
        assert source.ignored == source.lines
    else:
        assert KINDS[name] & {*source.kinds} or (KINDS[name] <= NAMES_HOSTS and records.collected)
    assert [ref.text for ref in source.unread_samples] == []
