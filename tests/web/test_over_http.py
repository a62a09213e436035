"""A real server, asked as a browser, a script and a stranger would."""

from __future__ import annotations

import re
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import postgresql_server
from slowlink.model.report import Outcome
from slowlink.report.web.page import POLICY
from slowlink.store import schema
from slowlink.store.connect import open_store
from slowlink.workflows.web.pages import PAGES
from web.serving import HOSTILE, HOUR_S, ask, found, kept, report, serving, status

TOKEN = "t" * 24
NODES = ("gpu01", "gpu02", "gpu03", "gpu04")
SLOW_PORT = found("port-rate-low", "port-rate-differs", "gpu02")
RATES: dict[str, object] = {"port-rate": [{"value": "400", "parts": ["mlx5_0/1"], "nodes": "gpu[01-04]"}]}
NOW = time.time()
ADDRESSES = ("/", "/runs", "/runs/1", "/pairs/1", "/history", "/compare", "/compare?a=1&b=2", "/style.css", "/page.js")


def fill(place: str) -> None:
    """A sick snapshot, pairs, and ten runs of which the newest are slower."""
    looked = (Outcome("port-rate-differs", "found"),)
    sick = report(NODES, verdict="degraded", findings=(SLOW_PORT,), outcomes=looked, state=RATES)
    pairs = report(NODES, pairs=(("gpu01", "gpu02", 390.0), ("gpu02", "gpu03", 190.0), ("gpu03", "gpu01", 388.0)))
    runs = [("run", NOW - (80 - number) * HOUR_S, report(NODES, busbw=400.0 - number % 3)) for number in range(12)]
    slow = [("run", NOW - (60 - number) * HOUR_S, report(NODES, busbw=300.0 + number % 3)) for number in range(12)]
    kept(place, ("snapshot", NOW - HOUR_S, sick), ("isolate", NOW - 2 * HOUR_S, pairs), *runs, *slow)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def port(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    if request.param == "sqlite":
        place = str(tmp_path_factory.mktemp("store") / "h.sqlite")
        fill(place)
        with serving(place) as number:
            yield number
        return
    with postgresql_server.server() as place:
        fill(place)
        with serving(place) as number:
            yield number


def test_every_page_is_there(port: int) -> None:
    assert [status(port, address) for address in ADDRESSES] == [200] * len(ADDRESSES)


def test_the_fleet(port: int) -> None:
    text = ask(port, "/")[1]
    assert "<h1>4 nodes: 1 degraded</h1>" in text
    cells = re.findall(r'aria-label="(Ports[^"]*)"', text)
    assert [re.sub(r"; run.*", "", words) for words in cells] == [
        "Ports, links: degraded, port-rate-low",
        "Ports, links: nothing found",
    ]
    assert "3 nodes alike" in text
    assert "gpu[01,03-04]" in ask(port, "/?state=sound")[1]
    assert "gpu02" not in re.sub(r"(?s)<form.*?</form>", "", ask(port, "/?nodes=gpu[03-04]&rows=each")[1])
    assert "No node is as asked." in ask(port, "/?nodes=nobody")[1]


def test_from_the_fleet_down_to_the_line_that_proves_it(port: int) -> None:
    way = re.search(r'<a class="degraded" href="(/runs/\d+)" title="Ports, links: degraded', ask(port, "/")[1])
    assert way is not None
    text = ask(port, way[1])[1]
    assert '<span class="place">nodes/gpu02/ibstat.txt:113</span>' in text
    assert "<code>Rate: 200</code>" in text


def test_runs_are_paged_by_key_and_filtered(port: int) -> None:
    numbers = re.compile(r'<a href="/runs/(\d+)">\1</a>')
    text = ask(port, "/runs")[1]
    assert "<h1>26 runs</h1>" in text
    assert numbers.findall(text)[:3] == ["1", "2", "26"]
    assert numbers.findall(ask(port, "/runs?verdict=degraded")[1]) == ["1"]
    assert numbers.findall(ask(port, "/runs?cause=port-rate-low&since=3h")[1]) == ["1"]
    assert len(numbers.findall(ask(port, "/runs?node=gpu03&command=run")[1])) == 24
    assert numbers.findall(ask(port, f"/runs?before={NOW - 2 * HOUR_S!r}_2")[1])[0] == "26"
    assert "No run is as asked." in ask(port, "/runs?node=gpu99")[1]


def test_a_series_says_where_it_changed(port: int) -> None:
    text = ask(port, "/history?nodes=gpu[01-04]")[1]
    assert "1 series as asked; the newest change of 1 of the 1 shown is for the worse" in text
    assert re.search(r"worse from run \d+ on", text)
    assert re.search(r'<a href="/runs/\d+"><circle', text)


def test_two_runs_are_compared(port: int) -> None:
    text = ask(port, "/compare?a=5&b=25")[1]
    assert '<p class="verdict">SLOWER</p>' in text
    assert "<h2>Measured</h2>" in text
    assert '<p class="verdict">FASTER</p>' in ask(port, "/compare?a=25&b=5")[1]


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("/nothing", 404), ("/runs/0", 404), ("/runs/999999", 404), ("/runs/x", 404), ("/runs/1/", 404),
        ("/runs/99999999999999999999", 404), ("/pairs/77777", 404), ("/../../etc/passwd", 404), ("//", 404),
        ("/compare?a=1&b=99999", 404), ("/compare?a=x&b=1", 400), ("/?page=0", 400), ("/?page=99999", 404),
        ("/?state=odd", 400), ("/?within=9d", 400), ("/?nodes=[", 400), ("/?nodes=g[1-99999999]", 400),
        ("/runs?since=soon", 400), ("/runs?before=1", 400), ("/runs?node=%00", 200), ("/history?measure=odd", 400),
        ("/history?size=none", 400), ("/?x=" + "y" * 9000, 414), ("/" + "y" * 400, 414), ("/runs?nodes=%ff%fe", 200),
        ("/?page=10000", 200), ("/compare?a=1", 200), ("/runs?node=" + "a" * 900, 200), ("/?nodes=@all", 200),
    ],
)  # fmt: skip
def test_wrong_addresses_are_answered_in_words(port: int, address: str, code: int) -> None:
    answer, text = ask(port, address)
    assert answer.status == code
    assert "Traceback" not in text
    assert "<h1>" in text


def test_nothing_but_reading_is_allowed(port: int) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "ODD"):
        assert [status(port, address, method) for address in ("/", "/runs/1", "/none")] == [405] * 3
    answer, text = ask(port, "/", "HEAD")
    assert (answer.status, text) == (200, "")
    assert ask(port, "/", "POST")[0].headers["Allow"] == "GET, HEAD"


def test_every_answer_has_the_headers_that_keep_it_in_its_place(port: int) -> None:
    for address in (*ADDRESSES, "/none", "/?page=0"):
        headers = ask(port, address)[0].headers
        assert headers["Content-Security-Policy"] == POLICY
        assert (headers["X-Content-Type-Options"], headers["X-Frame-Options"]) == ("nosniff", "DENY")
        assert headers["Cache-Control"] == ("private, max-age=86400" if "." in address else "no-store")
        assert "Server" not in headers


def test_who_calls_us_by_another_name_or_from_another_page_gets_nothing(port: int) -> None:
    """DNS rebinding: the browser believes that evil.example is here."""
    assert status(port, "/", Host="evil.example") == 421
    assert "gpu" not in ask(port, "/runs/1", Host=f"evil.example:{port}")[1]
    assert status(port, "/", Host=f"localhost:{port}") == 200
    assert status(port, "/", Origin="http://evil.example") == 403
    assert status(port, "/", Origin="null") == 403
    assert status(port, "/", Origin=f"http://127.0.0.1:{port}") == 200
    part = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert status(port, "/", **part) == 403, "an image or a script of another page"
    assert status(port, "/", **{**part, "Sec-Fetch-Mode": "navigate"}) == 200, "who follows a link"
    assert status(port, "/", **{**part, "Sec-Fetch-Site": "same-origin"}) == 200
    with socket.create_connection(("127.0.0.1", port), timeout=30) as stranger:
        stranger.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
        assert b" 200 " not in stranger.recv(100)


@pytest.mark.parametrize("sent", [b"", b"\x00\xff" * 500, b"GET /\r\n\r\n", b"GET / HTTP/1.1\r\nA: " + b"a" * 90_000])
def test_whoever_talks_nonsense_harms_nobody(port: int, sent: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_connection(("127.0.0.1", port)) as stranger:
        stranger.sendall(sent)
    assert status(port, "/style.css") == 200
    assert capfd.readouterr().err == ""


def test_the_extra_pages_of_a_token(tmp_path: Path) -> None:
    place = str(tmp_path / "h.sqlite")
    fill(place)
    with serving(place, TOKEN, frozenset()) as port:
        assert [status(port, address) for address in ADDRESSES] == [401] * 7 + [200] * 2
        assert "gpu" not in ask(port, "/")[1]
        assert status(port, "/", Authorization=f"Bearer {TOKEN}") == 200
        assert status(port, f"/?token={TOKEN}") == 401, "never in an address"
        form = {"Content_Type": "application/x-www-form-urlencoded"}
        assert status(port, "/login", "POST", "token=wrong", **form) == 401
        assert status(port, "/login", "POST", "token=" + "x" * 9000, **form) == 401
        assert status(port, "/login", "POST", f"token={TOKEN}", **form, Origin="http://evil.example") == 403
        answer, _ = ask(port, "/login", "POST", f"token={TOKEN}", **form)
        assert (answer.status, answer.headers["Location"]) == (303, "/")
        cookie = answer.headers["Set-Cookie"]
        assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
        assert TOKEN not in cookie
        assert "Secure" not in cookie
        proxied, _ = ask(port, "/login", "POST", f"token={TOKEN}", **form, Origin=f"https://127.0.0.1:{port}")
        assert "Secure" in proxied.headers["Set-Cookie"].split("; ")
        assert status(port, "/runs/1", Cookie=cookie.partition(";")[0]) == 200


def test_without_a_token_there_is_nothing_to_log_into(port: int) -> None:
    assert status(port, "/login", "POST", "token=") == 401


def test_a_history_that_is_not_there_yet_and_comes(tmp_path: Path) -> None:
    place = str(tmp_path / "h.sqlite")
    with serving(place) as port:
        answer, text = ask(port, "/")
        assert (answer.status, "there is no history yet" in text) == (503, True)
        kept(place)
        assert "No report of the last 30 days tells of a node." in ask(port, "/")[1]
        assert "Nothing is kept yet" in ask(port, "/runs")[1]
        assert "0 series" in ask(port, "/history")[1]


def test_what_is_kept_meanwhile_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowlink.workflows.web.open_history.FRESH_S", 0.0)
    place = str(tmp_path / "h.sqlite")
    kept(place, ("run", NOW, report(NODES)))
    with serving(place) as port:
        assert "<h1>1 run</h1>" in ask(port, "/runs")[1]
        kept(place, ("run", NOW + 1, report(NODES)))
        assert "<h1>2 runs</h1>" in ask(port, "/runs")[1]
        other = tmp_path / "other.sqlite"
        kept(other, ("check", NOW, report(("other01",))))
        shutil.move(other, place)
        for name in ("h.sqlite-wal", "h.sqlite-shm"):
            (tmp_path / name).unlink(missing_ok=True)
        assert "other01" in ask(port, "/")[1], "another store in its place"
        assert "other01" in ask(port, "/runs/1")[1]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("UPDATE alembic_version SET version_num = '9999'", "was made by a newer slowlink"),
        ("UPDATE runs SET at = 'soon'", "at holds"),
        ("UPDATE runs SET headline = x'00ff'", "headline holds"),
    ],
)
def test_a_store_that_cannot_be_read_is_said_in_a_sentence(tmp_path: Path, damage: str, said: str) -> None:
    place = str(tmp_path / "h.sqlite")
    kept(place, ("run", NOW, report(NODES)))
    with closing(open_store(place, create=False)) as store, store.writing() as connection:
        connection.exec_driver_sql(damage)
    with serving(place) as port:
        answer, text = ask(port, "/runs")
        assert (answer.status, said in text) == (503, True)
        assert "Traceback" not in text


def test_a_file_that_is_no_history(tmp_path: Path) -> None:
    place = tmp_path / "h.sqlite"
    place.write_bytes(b"no database, and long enough to be looked at" * 100)
    with serving(str(place)) as port:
        answer, text = ask(port, "/")
        assert (answer.status, "file is not a database" in text) == (503, True)


def test_a_run_without_its_report_shows_what_the_tables_know(tmp_path: Path) -> None:
    place = str(tmp_path / "h.sqlite")
    kept(place, ("run", NOW, report(NODES, verdict="degraded", findings=(SLOW_PORT,))))
    with closing(open_store(place, create=False)) as store, store.writing() as connection:
        connection.execute(schema.reports.delete())
    with serving(place) as port:
        text = ask(port, "/runs/1")[1]
        assert "The whole report is not here" in text
        assert "message of port-rate-low" in text
        assert "cannot be compared" in ask(port, "/compare?a=1&b=1")[1]


def test_hostile_text_is_text_on_every_page(tmp_path: Path) -> None:
    place = str(tmp_path / "h.sqlite")
    evil = found(HOSTILE, HOSTILE, HOSTILE, text=HOSTILE, severity="critical")
    names = (HOSTILE, "gpu01", "gpu02")
    pairs = ((HOSTILE, "gpu01", 1.0), ("gpu01", "gpu02", 2.0), ("gpu02", HOSTILE, 3.0))
    kept(place, ("run", NOW, report(names, verdict="broken", findings=(evil,), pairs=pairs)))
    hostile = {"headline": HOSTILE, "nodes": HOSTILE, "system": HOSTILE, "command": HOSTILE, "job": HOSTILE,
               "bundle": HOSTILE, "slowlink": HOSTILE, "verdict": HOSTILE}  # fmt: skip
    with closing(open_store(place, create=False)) as store, store.writing() as connection:
        connection.execute(schema.runs.update().values(**hostile))
        connection.execute(
            schema.series.update().values(collective=HOSTILE, engine=HOSTILE, nodes=HOSTILE, gpu=HOSTILE)
        )
    with serving(place) as port:
        for address in ("/", "/?rows=each", "/runs", "/runs/1", "/pairs/1", "/history", "/compare?a=1&b=1"):
            answer, text = ask(port, address)
            assert answer.status == 200, address
            assert "<script>document" not in text
            assert "<img" not in text
            assert not {"\x1b", "\x07", "\u202e"} & set(text), address
            assert "49" not in text.partition("{{7*7}}")[2][:4]
            assert "&lt;script&gt;document" in text or address.startswith("/compare"), address


def test_the_pages_are_those_that_are_documented() -> None:
    document = (Path(__file__).resolve().parents[2] / "docs" / "serve.md").read_text()
    addresses = {"fleet": "/", "run": "/runs/N", "pairs": "/pairs/N"}
    assert [name for name in PAGES if f"| `{addresses.get(name, f'/{name}')}` |" not in document] == []
