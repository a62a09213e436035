"""The pages in a real browser: headless Chromium, where one is installed; served by a real server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from slowlink.store import schema
from slowlink.store.connect import open_store
from web.serving import HOSTILE, HOUR_S, found, kept, report, serving

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM = next((each for each in map(shutil.which, NAMES) if each), None)
pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")]
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-extensions --disable-dev-shm-usage "
    "--enable-logging=stderr --virtual-time-budget=5000"
)
NODES = ("gpu01", "gpu02", "gpu03")
PAGES = ("/", "/runs", "/runs/1", "/pairs/1", "/history", "/compare?a=2&b=3", "/none")


def fill(place: Path, name: str) -> None:
    """Pairs with a finding about ``name``, and a series that became slower."""
    names = (*NODES, name)
    pairs = tuple((a, b, 390.0) for number, a in enumerate(names) for b in names[:number])
    slow = found("port-rate-low", "port-rate-differs", name, text=name)
    now = time.time()
    runs = [
        ("run", now - (30 - number) * HOUR_S, report(NODES, busbw=(400.0 if number < 12 else 300.0) + number % 3))
        for number in range(24)
    ]
    kept(place, ("isolate", now, report(names, verdict="degraded", findings=(slow,), pairs=pairs)), *runs)


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    place = tmp_path_factory.mktemp("store") / "h.sqlite"
    fill(place, "gpu04")
    with serving(str(place)) as number:
        yield number


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Whatever a store may hold that is hostile."""
    place = tmp_path_factory.mktemp("store") / "h.sqlite"
    fill(place, HOSTILE)
    everything = dict.fromkeys(("headline", "nodes", "system", "command", "job", "bundle", "verdict"), HOSTILE)
    with closing(open_store(str(place), create=False)) as store, store.writing() as connection:
        connection.execute(schema.runs.update().values(**everything))
        connection.execute(schema.series.update().values(collective=HOSTILE, engine=HOSTILE, nodes=HOSTILE))
    with serving(str(place)) as number:
        yield number


def visit(address: str, folder: Path, size: str = "1280,1000") -> tuple[str, list[str], set[str]]:
    """The document after its scripts ran, console messages, and origins that were asked."""
    assert CHROMIUM is not None
    log = folder / "net.json"
    flags = [*FLAGS.split(), f"--window-size={size}", f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}"]
    only = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
    done = subprocess.run(
        [CHROMIUM, *flags, only, "--dump-dom", address],
        capture_output=True, text=True, timeout=120, encoding="utf-8", check=True,
    )  # fmt: skip
    return done.stdout, [line for line in done.stderr.split("\n") if ":CONSOLE" in line], origins(log)


def origins(log: Path) -> set[str]:
    found = set()
    for line in log.read_text(encoding="utf-8").split("\n"):
        if '"initiator"' in line:
            request = json.loads(line.rstrip().rstrip(",").removesuffix("]}"))["params"]
            if request["initiator"] != "not an origin":
                found.add(re.sub(r"(://[^/]*).*", r"\1", request["url"]))
    return found


@pytest.mark.parametrize("page", PAGES)
def test_a_page_works_and_asks_nobody_else(port: int, page: str, tmp_path: Path) -> None:
    document, console, asked = visit(f"http://127.0.0.1:{port}{page}", tmp_path)
    assert [line for line in console if "status of 404" not in line] == []
    assert asked == {f"http://127.0.0.1:{port}"}
    assert "<h1>" in document


def test_the_script_tells_of_the_points_of_a_series(port: int, tmp_path: Path) -> None:
    document = visit(f"http://127.0.0.1:{port}/history", tmp_path)[0]
    assert document.count("data-tip=") >= 24
    assert 'class="tip"' in document


def test_this_check_sees_a_page_that_misbehaves(port: int, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<!doctype html><title>x</title><script>document.title='owned';console.error('oh');"
        f"fetch('http://127.0.0.1:{port}/').catch(function () {{}})</script>"
    )
    document, console, asked = visit(bad.as_uri(), tmp_path)
    assert "<title>owned</title>" in document
    assert [line for line in console if "oh" in line]
    assert f"http://127.0.0.1:{port}" in asked


@pytest.mark.parametrize("page", PAGES)
def test_hostile_text_does_nothing(hostile: int, page: str, tmp_path: Path) -> None:
    document, console, asked = visit(f"http://127.0.0.1:{hostile}{page}", tmp_path)
    assert [line for line in console if "status of 404" not in line] == []
    assert asked == {f"http://127.0.0.1:{hostile}"}
    assert "<title>owned" not in document
    assert "onerror=alert" not in re.sub(r">[^<]*<|\"[^\"]*\"", "", document)
