"""A reader in a real browser: logs in, clicks from the fleet down to a line, compares, on a telephone too."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from slowlink.model.report import Outcome
from web.browser import CHROMIUM, Tab, browser
from web.serving import HOUR_S, found, kept, report, serving

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]
NODES = ("gpu01", "gpu02", "gpu03")
TOKEN = "t" * 24
RATES: dict[str, object] = {"port-rate": [{"value": "400", "parts": ["mlx5_0/1"], "nodes": "gpu[01-03]"}]}
PAGES = ("/", "/?rows=each", "/runs", "/runs/1", "/pairs/2", "/history", "/compare?a=3&b=20", "/none", "/login")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = str(tmp_path_factory.mktemp("store") / "h.sqlite")
    slow = found("port-rate-low", "port-rate-differs", "gpu02")
    looked = (Outcome("port-rate-differs", "found"),)
    sick = report(NODES, verdict="degraded", findings=(slow,), outcomes=looked, state=RATES)
    pairs = report(NODES, pairs=(("gpu01", "gpu02", 390.0), ("gpu02", "gpu03", 190.0), ("gpu03", "gpu01", 388.0)))
    now = time.time()
    runs = [
        ("run", now - (30 - number) * HOUR_S, report(NODES, busbw=(400.0 if number < 10 else 300.0) + number % 3))
        for number in range(20)
    ]
    kept(place, ("snapshot", now, sick), ("isolate", now - HOUR_S, pairs), *runs)
    return place


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser(tmp_path_factory.mktemp("browser")) as tab:
        yield tab


def test_from_the_fleet_down_to_a_line_and_on_to_a_comparison(place: str, tab: Tab) -> None:
    with serving(place) as port:
        tab.open(f"http://127.0.0.1:{port}/")
        assert "3 nodes: 1 degraded" in tab.text()
        tab.click("a.degraded[aria-label^='Ports, links']")
        assert tab.evaluate("location.pathname") == "/runs/1"
        assert "nodes/gpu02/ibstat.txt:113" in tab.text()
        tab.click("nav a[href='/runs']")
        tab.evaluate("document.querySelector('input[name=a][value=\"3\"]').click()")
        tab.evaluate("document.querySelector('input[name=b][value=\"20\"]').click()")
        tab.click("form[action='/compare'] button")
        assert "SLOWER" in tab.text()
        assert tab.complaints() == []


def test_a_form_asks_for_what_was_filled_in(place: str, tab: Tab) -> None:
    with serving(place) as port:
        tab.open(f"http://127.0.0.1:{port}/")
        tab.evaluate("document.querySelector('input[name=nodes]').value = 'gpu[02-03]'")
        tab.evaluate("document.querySelector('select[name=state]').value = 'degraded'")
        tab.click(".filter button")
        rows = "[...document.querySelectorAll('.fleet tbody .names')].map(each => each.innerText)"
        assert tab.evaluate(rows) == ["gpu02"]
        assert tab.evaluate("document.querySelector('input[name=nodes]').value") == "gpu[02-03]"


def test_a_token_lets_a_browser_in(place: str, tab: Tab) -> None:
    with serving(place, TOKEN, frozenset()) as port:
        tab.open(f"http://127.0.0.1:{port}/runs/1")
        assert "gpu02" not in tab.text()
        tab.evaluate("document.querySelector('input[name=token]').value = 'not the token'")
        tab.click(".filter button")
        assert "This is not the token." in tab.text()
        tab.evaluate(f"document.querySelector('input[name=token]').value = '{TOKEN}'")
        tab.click(".filter button")
        assert tab.evaluate("location.pathname + location.search") == "/"
        assert "3 nodes: 1 degraded" in tab.text()
        (cookie,) = tab.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        assert tab.evaluate("document.cookie") == ""
        tab.click("nav a[href='/history']")
        assert "worse from run" in tab.text()


@pytest.mark.parametrize("page", PAGES)
def test_no_page_is_wider_than_a_telephone(place: str, tab: Tab, page: str) -> None:
    """Tables and pictures that are wider are moved within their own frame."""
    with serving(place) as port:
        tab.width(400)
        tab.open(f"http://127.0.0.1:{port}{page}")
        assert tab.evaluate("document.documentElement.scrollWidth") == 400
        assert tab.evaluate("document.querySelector('h1').getBoundingClientRect().right <= 400")


def test_a_point_says_what_it_is_and_leads_to_its_run(place: str, tab: Tab) -> None:
    with serving(place) as port:
        tab.open(f"http://127.0.0.1:{port}/history?nodes=gpu[01-03]")
        tip = (
            "(() => { const dot = document.querySelector('svg.series .dot'), box = dot.getBoundingClientRect();"
            "dot.closest('svg').dispatchEvent(new PointerEvent('pointermove', {clientX: box.left, clientY: box.top}));"
            "return document.querySelector('.tip').textContent })()"
        )
        assert tab.evaluate(tip).startswith("run 3: 400 GB/s, ")
        assert tab.evaluate("document.querySelector('svg.series a').getAttribute('href')") == "/runs/3"
