"""Whoever is slow, or silent, or one too many holds no place for ever."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from web.serving import kept, report, serving, status


@pytest.fixture
def place(tmp_path: Path) -> str:
    kept(tmp_path / "h.sqlite", ("run", 1.8e9, report()))
    return str(tmp_path / "h.sqlite")


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowlink.workflows.web.server._PATIENCE_S", 0.2)


def is_hung_up_on(stranger: socket.socket) -> bool:
    try:
        return stranger.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("sent", [b"", b"GET / HTT", b"GET / HTTP/1.1\r\nHost: localhost\r\nA: b"])
def test_whoever_does_not_come_to_the_end_of_asking_is_hung_up_on(place: str, sent: bytes) -> None:
    with serving(place) as port, socket.create_connection(("127.0.0.1", port), timeout=30) as slow:
        slow.sendall(sent)
        assert is_hung_up_on(slow)
        assert status(port, "/") == 200


@pytest.mark.usefixtures("hurried")
def test_a_byte_now_and_then_is_no_asking(place: str) -> None:
    with serving(place) as port, socket.create_connection(("127.0.0.1", port), timeout=0.05) as slow:
        for _ in range(600):
            try:
                slow.sendall(b"A")
                if slow.recv(1) == b"":
                    return
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                return
    pytest.fail("the connection was held for half a minute")


def test_no_more_than_there_are_places(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowlink.workflows.web.server.MOST_CONNECTIONS", 4)
    with serving(place) as port:
        silent = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(5)]
        try:
            assert is_hung_up_on(silent[-1])
            silent.pop(0).close()
            assert any(_is_answered(port) for _ in range(1000))
        finally:
            for each in silent:
                each.close()


def _is_answered(port: int) -> bool:
    try:
        return status(port, "/") == 200
    except OSError:
        return False


@pytest.mark.usefixtures("hurried")
def test_whoever_takes_nothing_of_the_answers_is_hung_up_on(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowlink.workflows.web.server._READING_S", 0.2)
    asked = b"GET /runs/1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with serving(place) as port, socket.create_connection(("127.0.0.1", port), timeout=30) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            deaf.sendall(asked * 100_000)


@pytest.mark.usefixtures("hurried")
def test_a_form_that_does_not_come_is_not_waited_for(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slowlink.workflows.web.application._FORM_S", 0.1)
    monkeypatch.setattr("slowlink.workflows.web.application._WRONG_TOKEN_S", 0.0)
    asked = b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\ntoken="
    with serving(place) as port, socket.create_connection(("127.0.0.1", port), timeout=60) as slow:
        slow.sendall(asked)
        assert slow.recv(100).startswith(b"HTTP/1.1 401")
        while not is_hung_up_on(slow):
            continue


def test_whoever_leaves_in_the_middle_of_a_form_harms_nobody(place: str, capfd: pytest.CaptureFixture[str]) -> None:
    with serving(place) as port:
        with socket.create_connection(("127.0.0.1", port)) as hasty:
            hasty.sendall(b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\ntoken=")
        assert status(port, "/") == 200
    assert capfd.readouterr().err == ""
