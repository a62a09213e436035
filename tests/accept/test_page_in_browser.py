"""The page of an acceptance in a real browser: on a screen, on a telephone and on paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from accept.records import node, record
from slowlink.model.acceptance import Acceptance, AcceptedNode, CellState, EvidenceFile, Fault
from slowlink.report.acceptance.page import page_text
from web.browser import CHROMIUM, Tab, browser

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
    pytest.mark.xdist_group("browser"),
]
LONG = "a" * 120
"""Where a line may be broken nowhere."""


def long_words() -> Acceptance:
    """Every state, and words that are wider than a telephone."""
    states: tuple[CellState, ...] = ("pass", "fail", "open", "not-measured")
    nodes = [_with_long_words(node(f"gpu{number:02}", state, state)) for number, state in enumerate(states, 1)]
    return record(
        *nodes,
        result="refused",
        headline=f"1 of 4 nodes failed: {LONG}",
        faults=(Fault("port-rate-low", "error", "certain", f"gpu02: {LONG}", True),),
        beside=LONG,
        evidence=(EvidenceFile(f"{LONG}/{LONG}", 4711, "ab" * 32),),
    )


def _with_long_words(made: AcceptedNode) -> AcceptedNode:
    cells = tuple(
        replace(cell, measured=LONG, why=LONG, causes=("port-rate-low",), evidence=(f"{LONG}:1",))
        for cell in made.cells
    )
    return replace(made, cells=cells)


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    folder = tmp_path_factory.mktemp("acceptance")
    (folder / "page.html").write_text(page_text(long_words()), encoding="utf-8")
    with browser(folder) as found:
        found.folder = folder  # type: ignore[attr-defined]
        yield found


def opened(tab: Tab, pixels: int) -> Tab:
    tab.width(pixels)
    folder: Path = tab.folder  # type: ignore[attr-defined]
    tab.open((folder / "page.html").as_uri())
    assert tab.complaints() == []
    return tab


# What stands further right than the window, and not in a box that scrolls by itself.
BEYOND = """[...document.body.querySelectorAll("*")].filter(each => !each.closest(".wide")
    && each.getBoundingClientRect().right > document.documentElement.clientWidth + 1
    && getComputedStyle(each).position !== "absolute").map(each => each.outerHTML.slice(0, 120))"""
# Words that lie upon one another: cells of one row whose boxes meet although they stand side by side.
OVERFLOWING = """[...document.querySelectorAll("td, th, dd, h1, p")].filter(each => !each.closest(".wide")
    && each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== "inline"
    && !each.closest("thead")).map(each => each.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("pixels", [400, 760, 1280])
def test_nothing_is_wider_than_the_window(tab: Tab, pixels: int) -> None:
    page = opened(tab, pixels)
    assert page.evaluate("[document.documentElement.scrollWidth, innerWidth]") == [pixels, pixels]
    assert page.evaluate(BEYOND) == []
    assert page.evaluate(OVERFLOWING) == []


def test_on_paper_nothing_is_cut_off(tab: Tab) -> None:
    """A page of A4 between its margins is 703 pixels of CSS wide."""
    page = opened(tab, 703)
    page.media("print")
    try:
        assert page.evaluate("document.documentElement.scrollWidth") == 703
        assert page.evaluate(OVERFLOWING) == []
        assert page.evaluate("getComputedStyle(document.querySelector('.node')).breakBefore") == "page"
        assert page.evaluate("getComputedStyle(document.querySelector('.state.fail')).color") == "rgb(0, 0, 0)"
        assert page.pdf().startswith(b"%PDF-")
    finally:
        page.media("")


# The contrast of each text with what lies behind it, as WCAG 2 counts it; the least of each pair of colours.
CONTRAST = """(() => {
  const light = text => {
    const [r, g, b] = text.match(/[0-9.]+/g).map(Number).map(v => v / 255)
      .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = each => {
    for (; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (colour !== "rgba(0, 0, 0, 0)") return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = {};
  for (const each of document.body.querySelectorAll("*")) {
    if (![...each.childNodes].some(one => one.nodeType === 3 && one.data.trim())) continue;
    const [a, b] = [light(getComputedStyle(each).color), light(behind(each))].sort((x, y) => y - x);
    found[getComputedStyle(each).color + " on " + behind(each)] = (a + 0.05) / (b + 0.05);
  }
  return found;
})()"""


@pytest.mark.parametrize("pixels", [400, 1280])
def test_every_word_can_be_read(tab: Tab, pixels: int) -> None:
    """WCAG 2 asks for 4.5."""
    found: dict[str, Any] = opened(tab, pixels).evaluate(CONTRAST)
    assert len(found) >= 5
    assert {pair: round(ratio, 2) for pair, ratio in found.items() if ratio < 4.5} == {}


def test_states_are_words_and_no_script_is_needed(tab: Tab) -> None:
    page = opened(tab, 400)
    assert page.evaluate("document.querySelectorAll('script, link, img, iframe').length") == 0
    shown = page.text()
    for word in ("PASS", "FAIL", "OPEN", "NOT MEASURED"):
        assert re.search(rf"^\s*{word}\s*$", shown, re.MULTILINE), word
    assert "measured 400 Gb/s" in re.sub(r"\s+", " ", page.evaluate(AS_READ))


def test_hostile_words_do_nothing(tab: Tab) -> None:
    words = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    folder: Path = tab.folder  # type: ignore[attr-defined]
    hostile = record(
        node(words, "fail", "fail"),
        headline=words,
        beside=words,
        faults=(Fault(words, "error", "certain", words, True),),
    )
    (folder / "hostile.html").write_text(page_text(hostile), encoding="utf-8")
    tab.open((folder / "hostile.html").as_uri())
    assert tab.complaints() == []
    assert "owned" not in tab.evaluate("document.title")
    assert tab.evaluate("document.querySelectorAll('script, img').length") == 0
    assert words in tab.text()


# What a row says on a telephone, with the words that stand before its values.
AS_READ = """[...document.querySelectorAll("[data-of]")].map(each =>
    getComputedStyle(each, "::before").content.replaceAll('"', "") + each.textContent).join("\\n")"""
