"""Every parser's sample says the same through each disguise, and what is in no disguise passes untouched."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from importlib import import_module

import pytest
from disguises import LOGGED, PLAIN, Disguise
from docstring_samples import sample_in
from msgspec import Struct

from slowlink.inputs import Input
from slowlink.inputs.stream import ByteStream
from slowlink.inputs.text import text_of
from slowlink.model.edges import EdgeColumns
from slowlink.model.records import Records
from slowlink.model.source import Ref
from slowlink.parsers import unit_names
from slowlink.parsers.reading.read import read

SAMPLES = {name: sample for name in unit_names() if (sample := sample_in(import_module(name).__doc__ or "")).strip()}
_OF_THE_PLACE = {"host", "place", "stamp", "stream", "rank", "before", "last_line"}
"""What a disguise may rightly add or change: it names a node, and moves lines."""
_LEFT_OUT = ("sources", "collected", "origins")
CAPTIONED = {"slowlink.parsers.benchmarks.nccl_tests"}
"""Words above a table become its caption."""
AMPERSANDS = {"slowlink.parsers.job.ucx"}
"""``&amp;`` alone is no sign of an escaped text: it stands in addresses of pages."""
TWO_STREAMS = {"slowlink.parsers.nccl.nccl_log"}
"""Its sample has lines of two streams, which a log of one program joins."""


def _said(value: object) -> object:
    """A value without where it was read."""
    if isinstance(value, Ref):
        return None
    if isinstance(value, EdgeColumns):
        return tuple(map(_said, value))
    if isinstance(value, Struct):
        names = [name for name in value.__struct_fields__ if name not in _OF_THE_PLACE]
        return (type(value).__name__, *((name, _said(getattr(value, name))) for name in names))
    if isinstance(value, tuple | list):
        return tuple(map(_said, value))
    if hasattr(value, "items"):
        return sorted((name, _said(item)) for name, item in value.items() if name not in ("last", "host"))
    return value


def _read(data: bytes) -> Counter[str]:
    """Everything that is found in ``data``, as text without positions."""
    records = read([Input("sample.txt", None, text_of(ByteStream(iter([data]))))], workers=1)
    found = [record for name in Records.__struct_fields__ if name not in _LEFT_OUT
             for record in getattr(records, name)]  # fmt: skip
    return Counter(re.sub(r"\s+", " ", repr(_said(record))) for record in found)


@cache
def _plain(name: str) -> Counter[str]:
    return _read(SAMPLES[name].encode())


def _is_document(sample: str) -> bool:
    """A JSON value of several lines."""
    return re.search(r"^\s*[\[{]\s*(?:\"|$|\{|\[\S*\]$)", sample, re.MULTILINE) is not None


@pytest.mark.parametrize("disguise", PLAIN.values(), ids=PLAIN.keys())
def test_a_sample_says_the_same_in_disguise(disguise: Disguise) -> None:
    changed = [name for name in SAMPLES if _read(disguise(SAMPLES[name])) != _plain(name)]
    assert set(changed) <= CAPTIONED | AMPERSANDS


@pytest.mark.parametrize("disguise", LOGGED.values(), ids=LOGGED.keys())
def test_a_sample_says_the_same_in_the_records_of_a_log(disguise: Disguise) -> None:
    samples = {name: sample for name, sample in SAMPLES.items() if not _is_document(sample)}
    assert len(samples) > 100
    changed = [name for name, sample in samples.items() if _read(disguise(sample)) != _plain(name)]
    assert set(changed) <= TWO_STREAMS


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_that_is_in_no_disguise_passes_untouched(name: str) -> None:
    data = SAMPLES[name].encode()
    assert b"".join(text_of(ByteStream(iter([data])))) == data
