"""Whole outputs against stored ones. SLOWLINK_UPDATE_GOLDEN=1 writes them again; read the diff before you commit it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from sample_reports import SAMPLES, degraded

from slowlink.errors import SlowlinkError
from slowlink.report import formats, render

GOLDEN = Path(__file__).parents[1] / "golden" / "report"
SUFFIXES = {"terminal": "txt", "full": "full.txt", "json": "json", "markdown": "md", "html": "html", "junit": "xml"}
# The page's own files are inlined: they are files of their own, which need no second copy here.
SCRUBBED = (
    (re.compile(r"<style>.*?</style>", re.DOTALL), "<style>page.css</style>"),
    (re.compile(r"<script>.*?</script>", re.DOTALL), "<script>...</script>"),
    (re.compile(r"'sha256-[A-Za-z0-9+/=]+'"), "'sha256-...'"),
)


def scrubbed(text: str) -> str:
    for pattern, replacement in SCRUBBED:
        text = pattern.sub(replacement, text)
    return text


@pytest.mark.parametrize("format_", sorted(SUFFIXES))
@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_whole_output(name: str, format_: str) -> None:
    text = render(SAMPLES[name](), format_, color=False, width=100)
    text = scrubbed(text) if format_ == "html" else text
    path = GOLDEN / f"{name}.{SUFFIXES[format_]}"
    if os.environ.get("SLOWLINK_UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_colour() -> None:
    text = render(degraded(), "terminal", color=True, width=80)
    path = GOLDEN / "degraded.color.txt"
    if os.environ.get("SLOWLINK_UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_every_format_is_found_by_being_there() -> None:
    assert formats() == tuple(sorted(SUFFIXES))


def test_an_unknown_format_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(SlowlinkError) as caught:
        render(degraded(), "pdf")
    assert caught.value.slug == "format-unknown"
    assert "html" in caught.value.hint
