"""The page in a real browser: headless Chromium, where one is installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from sample_reports import SAMPLES

from slowlink.report import render

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM = next((found for found in map(shutil.which, NAMES) if found), None)
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
]
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-extensions --disable-dev-shm-usage "
    "--host-resolver-rules=MAP%20*%20~NOTFOUND --enable-logging=stderr "
    "--virtual-time-budget=5000 --window-size=1280,1000"
)


def visit(page: str, folder: Path) -> tuple[str, list[str], set[str]]:
    """The page's document after its scripts ran, console messages, and web addresses that were asked for."""
    path, net_log = folder / "page.html", folder / "net.json"
    path.write_text(page, encoding="utf-8")
    profile = folder / "profile"
    assert CHROMIUM is not None
    flags = (flag.replace("%20", " ") for flag in FLAGS.split())
    command = [CHROMIUM, *flags, f"--user-data-dir={profile}", f"--log-net-log={net_log}", "--dump-dom"]
    done = subprocess.run(
        [*command, path.as_uri()], capture_output=True, text=True, timeout=120, encoding="utf-8", check=True
    )
    console = [line for line in done.stderr.split("\n") if ":CONSOLE" in line]
    return done.stdout, console, asked_for(net_log)


def asked_for(net_log: Path) -> set[str]:
    """Web addresses that the page asked for; the browser's own requests name no origin."""
    found = set()
    for line in net_log.read_text(encoding="utf-8").split("\n"):
        if '"initiator"' not in line:
            continue
        request = json.loads(line.rstrip().rstrip(",").removesuffix("]}"))["params"]
        if request["initiator"] != "not an origin" and not request["url"].startswith("file:"):
            found.add(request["url"])
    return found


@pytest.mark.parametrize("name", ["degraded", "bimodal", "inconclusive"])
def test_the_page_works_and_asks_for_nothing(name: str, tmp_path: Path) -> None:
    document, console, asked = visit(render(SAMPLES[name](), "html"), tmp_path)
    assert console == []
    assert asked == set()
    curves = 0 if name == "inconclusive" else 1
    assert document.count('class="tip"') == document.count('class="drawing curve"') == curves
    assert document.count("data-tip=") >= 3 * curves, "the script has taken each point's words"


def test_hostile_text_does_not_run(tmp_path: Path) -> None:
    document, console, asked = visit(render(SAMPLES["hostile"](), "html"), tmp_path)
    assert console == []
    assert asked == set()
    title = re.search(r"<title>(.*?)</title>", document, re.DOTALL)
    assert title is not None
    assert title.group(1).startswith("DEGRADED: headline")
    assert "data-tip=" in document


def test_this_check_sees_a_page_that_misbehaves(tmp_path: Path) -> None:
    bad = (
        "<!doctype html><title>x</title><script>document.title='owned';console.error('oh');"
        "fetch('http://localhost:9/x').catch(function () {})</script>"
    )
    document, console, asked = visit(bad, tmp_path)
    assert "<title>owned</title>" in document
    assert [line for line in console if "oh" in line]
    assert asked == {"http://localhost:9/x"}


def test_the_policy_stops_a_script_that_is_not_ours(tmp_path: Path) -> None:
    page = render(SAMPLES["degraded"](), "html")
    policy = re.search(r"<meta http-equiv.*?>", page)
    assert policy is not None
    injected = page.replace("<header>", f"<script>document.title={json.dumps('owned')}</script><header>", 1)
    document, console, _ = visit(injected, tmp_path)
    assert "<title>owned" not in document
    assert console


POINT = """
<script>
var dots = document.querySelectorAll("svg.curve .dot"), box = dots[2].getBoundingClientRect();
document.querySelector("svg.curve").dispatchEvent(
    new PointerEvent("pointermove", {clientX: box.left + 5, clientY: box.top + 5, bubbles: true}));
</script>"""


def test_the_point_nearest_to_the_pointer_says_what_it_is(tmp_path: Path) -> None:
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", render(SAMPLES["degraded"](), "html"))
    document, console, _ = visit(page.replace("</body>", POINT + "</body>"), tmp_path)
    assert console == []
    tip = re.search(r'<div class="tip" style="[^"]*">([^<]+)</div>', document)
    assert tip is not None
    assert re.fullmatch(r"\S+ \S+: [\d.]+ GB/s in \S+ \S+ \(line \d+\)", tip.group(1))
    assert len(re.findall(r"class=.dot \w+ near\W", document)) == 1
