"""``slowlink exporter``: printed, written, and served to whatever connects."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from stat import S_IMODE

import click
import pytest
from click.testing import CliRunner, Result

from history_records import record
from slowlink.cli.main import cli
from slowlink.cli.quantities import Address
from slowlink.report.metrics.families import family
from slowlink.store.connect import open_store
from slowlink.store.write import save

FAMILIES = (
    family("slowlink_x", "Anything.", ("nodes",), [(('gpu"\\\n',), 2.5)]),
    family("slowlink_seconds", "A moment.", (), [((), 1.0)], "seconds"),
)


def slowlink(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["exporter", *arguments], standalone_mode=False)


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """With one run."""
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "h.sqlite"
    monkeypatch.setenv("SLOWLINK_HISTORY", str(place))
    with closing(open_store(str(place), create=True)) as store:
        save(store, record(1))
    return place


def test_printed_and_written_are_the_same(tmp_path: Path) -> None:
    printed = slowlink("--once")
    assert printed.return_value == 0
    assert 'slowlink_run_verdict{command="run",system="hgx_h100",nodes="gpu[01-04]",verdict="healthy"} 1.0\n' in (
        printed.stdout
    )
    written = slowlink("--textfile", "slowlink.prom")
    assert (written.return_value, written.output) == (0, "")
    file = tmp_path / "slowlink.prom"
    assert S_IMODE(file.stat().st_mode) == 0o644
    took = re.compile(r"read_seconds \S+")
    assert took.sub("", file.read_text()) == took.sub("", printed.stdout)


def test_a_history_that_cannot_be_read_is_told_as_that(place: Path, tmp_path: Path) -> None:
    place.write_bytes(b"no database, and long enough to be looked at" * 100)
    done = slowlink("--textfile", "slowlink.prom")
    assert done.return_value == 3
    assert "file is not a database" in done.stderr
    assert "slowlink_history_readable 0.0" in (tmp_path / "slowlink.prom").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--once", "--textfile", "x.prom"), "one of --once and --textfile"),
        (("--textfile", "x.txt"), "must end with .prom"),
        (("--listen", "localhost"), "no address to listen on"),
        (("--listen", "127.0.0.1:99999"), "no address to listen on"),
        (("--listen", "127.0.0.1:²"), "no address to listen on"),
        (("--listen", "nosuchhost.invalid:0"), "cannot listen on nosuchhost.invalid"),
        (("--once", "--store", "off"), "the history is off"),
    ],
)
def test_wrong_words_end_with_a_sentence(words: tuple[str, ...], said: str) -> None:
    done = slowlink(*words)
    message = getattr(done.exception, "message", "")
    assert said in message


@pytest.mark.parametrize(
    ("text", "address"),
    [("0.0.0.0:80", ("0.0.0.0", 80)), ("[::1]:0", ("::1", 0)), (":9", ("127.0.0.1", 9)), ("9", ("127.0.0.1", 9))],
)
def test_an_address_without_a_host_is_loopback(text: str, address: tuple[str, int]) -> None:
    assert Address().convert(text, None, None) == address


def test_without_the_library_it_says_what_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowlink.workflows.metrics.server.find_spec", lambda _: None)
    done = slowlink()
    assert "slowlink[prometheus]" in getattr(done.exception, "hint", "")
    assert slowlink("--once").return_value == 0


@pytest.fixture
def port() -> Iterator[int]:
    pytest.importorskip("prometheus_client")
    from slowlink.workflows.metrics.server import MetricsServer

    with MetricsServer("127.0.0.1", 0, lambda: FAMILIES) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def asked(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, str, str]:
    """Status, type and text."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Type"] or "", answer.read().decode("latin-1")


def test_on_loopback_only_who_knows_that_it_is_this_machine_is_answered(port: int) -> None:
    for host in ("localhost:9", "[::1]", "127.0.0.1", socket.gethostname()):
        assert asked(port, "/metrics", Host=host)[0] == 200
    for host in ("gpu.example", "127.0.0.1.example:80", "", "a b"):
        assert asked(port, "/metrics", Host=host)[0] == 421


def test_the_text_format_and_openmetrics(port: int) -> None:
    status, kind, text = asked(port, "/metrics")
    assert (status, kind.partition(";")[0]) == (200, "text/plain")
    assert text == (
        '# HELP slowlink_x Anything.\n# TYPE slowlink_x gauge\nslowlink_x{nodes="gpu\\"\\\\\\n"} 2.5\n'
        "# HELP slowlink_seconds A moment.\n# TYPE slowlink_seconds gauge\nslowlink_seconds 1.0\n"
    )
    status, kind, text = asked(port, "/metrics", Accept="application/openmetrics-text; version=1.0.0")
    assert (status, kind.partition(";")[0]) == (200, "application/openmetrics-text")
    assert "# UNIT slowlink_seconds seconds\n" in text
    assert text.endswith("# EOF\n")
    openmetrics = pytest.importorskip("prometheus_client.openmetrics.parser")
    assert [each.name for each in openmetrics.text_string_to_metric_families(text)] == [
        "slowlink_x",
        "slowlink_seconds",
    ]


def test_other_pages_and_methods(port: int) -> None:
    assert asked(port, "/")[0::2] == (200, "slowlink exporter: /metrics\n")
    assert asked(port, "/../../etc/passwd")[0] == 404
    for path in ("/metrics", "/", "/none"):
        assert [asked(port, path, each)[0] for each in ("POST", "DELETE", "PUT", "HEAD", "ODD")] == [405] * 5
    assert asked(port, "/metrics?name[]=slowlink_none")[0] == 200


@pytest.mark.parametrize(
    "accept",
    [
        "application/openmetrics-text; version=",
        "application/openmetrics-text; version=9.x.y; escaping=zz",
        ",;=",
        "a" * 999,
    ],
)
def test_odd_wishes_are_answered(port: int, accept: str) -> None:
    assert asked(port, "/metrics", Accept=accept, Accept_Encoding="gzip;q=x, *")[0] == 200
    assert asked(port, "/metrics")[0] == 200


@pytest.mark.parametrize("bytes_sent", [b"", b"\x00\xff" * 500, b"GET /metrics\r\n\r\n", b"GET " + b"/" * 200_000])
def test_whoever_hangs_up_or_talks_nonsense_harms_nobody(
    port: int, bytes_sent: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_connection(("127.0.0.1", port)) as stranger:
        stranger.sendall(bytes_sent)
    assert asked(port, "/metrics")[0] == 200
    assert capfd.readouterr().err == ""


def test_no_more_readers_at_a_time_than_there_are_places(port: int) -> None:
    """Those that say nothing hold their place for ten seconds, and who comes then is hung up on."""
    silent = [socket.create_connection(("127.0.0.1", port), timeout=20) for _ in range(40)]
    try:
        assert silent[-1].recv(1) == b""
        silent.pop(0).close()
        assert any(_is_answered(port) for _ in range(1000))
    finally:
        for each in silent:
            each.close()


def test_whoever_says_nothing_is_hung_up_on(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowlink.workflows.metrics.server._Reader.timeout", 0.05)
    with socket.create_connection(("127.0.0.1", port), timeout=30) as silent:
        silent.sendall(b"GET /metr")
        assert silent.recv(1) == b""


def test_whoever_asks_a_byte_at_a_time_is_hung_up_on(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock goes six seconds with each look: ten are over at the third, though there was no wait between bytes."""
    monkeypatch.setattr("slowlink.workflows.metrics.server.monotonic", count(0.0, 6.0).__next__)
    with socket.create_connection(("127.0.0.1", port), timeout=5) as slow:
        slow.sendall(b"GET /metr")
        assert slow.recv(1) == b""


def _is_answered(port: int) -> bool:
    try:
        return asked(port, "/metrics")[0] == 200
    except OSError:
        return False


def test_it_serves_until_it_is_ended(place: Path) -> None:
    pytest.importorskip("prometheus_client")
    words = [sys.executable, "-m", "slowlink", "exporter", "--listen", "127.0.0.1:0"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert running.stderr is not None
        found = re.fullmatch(r"slowlink: http://127\.0\.0\.1:(\d+)/metrics\n", running.stderr.readline())
        assert found is not None
        text = asked(int(found[1]), "/metrics")[2]
        assert "slowlink_history_runs 1.0\n" in text
        with closing(open_store(str(place), create=True)) as store:
            save(store, record(2))
        assert "slowlink_history_runs 2.0\n" in asked(int(found[1]), "/metrics")[2]
    finally:
        running.send_signal(signal.SIGTERM)
        said = running.communicate(timeout=60)[1]
    assert (running.returncode, said) == (130, "\nslowlink: interrupted by SIGTERM\n")


def test_a_port_that_is_taken_is_named(port: int) -> None:
    done = slowlink("--listen", f"127.0.0.1:{port}")
    assert f"cannot listen on 127.0.0.1 port {port}" in getattr(done.exception, "message", "")
    assert not isinstance(done.exception, click.ClickException)
