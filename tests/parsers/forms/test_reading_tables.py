"""Tables of single lines: every table's own samples, and that no text breaks them."""

from __future__ import annotations

import importlib
from typing import Any

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.state import Value
from slowlink.parsers import unit_names
from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.forms.reading_table import ReadingParser
from slowlink.parsers.host.software_versions import SoftwareVersions

PARSERS: list[Any] = [
    module.PARSER
    for name in unit_names()
    if isinstance(getattr(module := importlib.import_module(name), "PARSER", None), type)
    and issubclass(module.PARSER, ReadingParser)
]
DERIVED = ("none", "unlimited", "0 KiB", "8 KiB", "81 KiB", "819 KiB", "8192 KiB", "64 KiB")
SAMPLES = [
    (parser, fact.attribute, text, value)
    for parser in PARSERS
    for fact in parser.facts
    for text, value in fact.samples.items()
]


@pytest.mark.parametrize(("parser", "attribute", "text", "value"), SAMPLES)
def test_samples(parser: Any, attribute: str, text: str, value: Value | None) -> None:
    assert {r.attribute: r.value for r in feed(parser, [text])}.get(attribute) == value
    assert parser.wants(shape_of(text).decode())


@pytest.mark.parametrize("parser", PARSERS)
@given(text=st.text(max_size=200))
def test_any_text_gives_a_result(parser: Any, text: str) -> None:
    for r in feed(parser, text.splitlines()):
        assert r.ref.text in text


@given(sample=st.sampled_from(SAMPLES), end=st.integers(0, 120))
def test_a_line_cut_off_invents_nothing(sample: Any, end: int) -> None:
    parser, _, text, _ = sample
    for r in feed(parser, [text[:end]]):
        assert isinstance(r.value, bool) or str(r.value) in (*DERIVED, text) or str(r.value).split()[0] in text


def test_names_of_parts() -> None:
    lines = ["ii  libnccl2 2.21.5-1+cuda12.4 amd64 x", "libnccl-net.so (libc6) => /opt/aws/lib/libnccl-net.so"]
    assert [(r.part.kind, r.part.name) for r in feed(SoftwareVersions, lines)] == [
        ("package", "libnccl2"),
        ("library", "libnccl-net.so"),
    ]
