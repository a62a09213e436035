"""The labelled corpus beside the checkout, for the tests of several families; it is read from where it lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slowlink.inputs import open_inputs
from slowlink.model.records import Records
from slowlink.parsers.reading.read import read

CORPUS = Path(os.environ.get("SLOWLINK_CORPUS") or Path(__file__).parents[3] / "shared" / "corpus")
NEEDS_CORPUS = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="the labelled corpus is not beside this checkout"),
]


def records_of(name: str) -> Records:
    """Everything that the whole reader finds in one file of the corpus."""
    return read(open_inputs([str(CORPUS / name)]), workers=1)


def groups_of(name: str, kind: str) -> list[dict[str, str]]:
    """Groups of the events of one kind in one file, in order of lines."""
    return [dict(event.groups) for event in records_of(name).events if event.kind == kind]
