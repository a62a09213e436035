"""``slowlink serve``: where it listens, whom it asks for a token, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from history_records import record
from slowlink.cli.main import cli
from slowlink.store.connect import open_store
from slowlink.store.write import save
from slowlink.workflows.web.server import listening
from web.serving import ask, status

TOKEN = "t" * 24


def slowlink(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["serve", *arguments], standalone_mode=False)


@pytest.fixture(autouse=True)
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """With one run."""
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "h.sqlite"
    monkeypatch.setenv("SLOWLINK_HISTORY", str(place))
    with closing(open_store(str(place), create=True)) as store:
        save(store, record(1))
    return place


@contextmanager
def running(*words: str, lines: int = 1) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """With the first lines that it says."""
    command = [sys.executable, "-m", "slowlink", "serve", *words]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stderr is not None
            yield process, "".join(process.stderr.readline() for _ in range(lines))
        finally:
            process.kill()


def port_of(said: str) -> int:
    found = re.search(r"://[^/]*:(\d+)/", said)
    assert found is not None, said
    return int(found[1])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_serves_until_it_is_ended(number: signal.Signals) -> None:
    with running("--listen", "127.0.0.1:0") as (process, said):
        assert re.fullmatch(r"slowlink: http://127\.0\.0\.1:\d+/\n", said)
        assert "<h1>1 run</h1>" in ask(port_of(said), "/runs")[1]
        process.send_signal(number)
        told = process.communicate(timeout=60)[1]
    by = "" if number == signal.SIGINT else f" by {number.name}"
    assert (process.returncode, told) == (130, f"\nslowlink: interrupted{by}\n")


def test_any_address_but_loopback_asks_for_a_token_that_is_told_once() -> None:
    with running("--listen", "0.0.0.0:0", lines=2) as (_, said):
        found = re.search(r"the token is (\S{40,})\n", said)
        assert found is not None
        assert status(port_of(said), "/runs") == 401
        assert status(port_of(said), "/runs", Authorization=f"Bearer {found[1]}", Host="gateway.example") == 200


def test_a_token_of_a_file_is_asked_for_on_loopback_too_and_not_told(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    file.chmod(0o600)
    with running("--listen", "127.0.0.1:0", "--token-file", str(file), "--host", "gateway.example") as (process, said):
        assert status(port_of(said), "/") == 401
        assert status(port_of(said), "/", Authorization=f"Bearer {TOKEN}", Host="gateway.example") == 200
        assert status(port_of(said), "/", Authorization=f"Bearer {TOKEN}", Host="other.example") == 421
        process.send_signal(signal.SIGINT)
        assert TOKEN not in said + process.communicate(timeout=60)[1]


def test_a_history_that_comes_later_is_no_reason_to_end(place: Path) -> None:
    place.unlink()
    with running("--listen", "127.0.0.1:0", lines=2) as (_, said):
        assert "there is no history yet" in said
        assert status(port_of(said), "/") == 503


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--listen", "localhost"), "no address to listen on"),
        (("--listen", "nosuchhost.invalid:0"), "cannot listen on nosuchhost.invalid"),
        (("--listen", "127.0.0.1:0", "--certificate", "c.pem"), "go together"),
        (("--listen", "127.0.0.1:0", "--certificate", "c.pem", "--key", "k.pem"), "the certificate cannot be used"),
        (("--listen", "127.0.0.1:0", "--token-file", "none"), "cannot read the token in none"),
        (("--store", "off"), "the history is off"),
        (("--listen", "127.0.0.1:0", "--store", "mysql://x"), "a file of SQLite or a URL of PostgreSQL"),
    ],
)
def test_wrong_words_end_with_a_sentence(words: tuple[str, ...], said: str) -> None:
    assert said in getattr(slowlink(*words).exception, "message", "")


def test_a_file_that_is_no_history_is_told_at_once(place: Path) -> None:
    place.write_bytes(b"no database, and long enough to be looked at" * 100)
    assert "file is not a database" in getattr(slowlink("--listen", "127.0.0.1:0").exception, "message", "")


def test_a_port_that_is_taken_is_named() -> None:
    with listening("127.0.0.1", 0) as taken:
        number = taken.getsockname()[1]
        message = getattr(slowlink("--listen", f"127.0.0.1:{number}").exception, "message", "")
    assert f"cannot listen on 127.0.0.1 port {number}: Address already in use" in message


def test_without_the_libraries_it_says_which_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowlink.workflows.web.application.find_spec", lambda _: None)
    assert "slowlink[serve]" in getattr(slowlink().exception, "hint", "")
