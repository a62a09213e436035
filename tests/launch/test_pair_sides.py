"""The two sides of a perftest pair."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from slowlink.launch import pair
from slowlink.launch.execute import capture


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def side(rank: str, *words: str) -> tuple[int | None, str, str]:
    argv = ("env", f"PMI_RANK={rank}", sys.executable, "-m", "slowlink.launch.pair", *words)
    return capture(argv, 60)


def test_command_line() -> None:
    words = ["--server", "p", "-p", "1", "--client", "p", "-p", "1", "host"]
    (one,) = pair.parse(words)
    assert (one.server, one.client, one.meeting) == (("p", "-p", "1"), ("p", "-p", "1", "host"), ("host", 1))
    assert len(pair.parse(words * 3)) == 3


@pytest.mark.parametrize(
    "words", [[], ["p"], ["--server", "p"], ["--client", "p", "--server", "p"], ["--server", "--client", "p"]]
)
def test_another_shape_is_refused(words: list[str]) -> None:
    with pytest.raises(ValueError, match="--server PROGRAM"):
        pair.parse(words)


def test_rank() -> None:
    assert pair.rank_of({"OMPI_COMM_WORLD_RANK": "1", "SLURM_PROCID": "0"}) == 1
    assert pair.rank_of({"PMI_RANK": "0"}) == 0
    assert pair.rank_of({"PMI_RANK": "x"}) is None
    assert pair.rank_of({}) is None


def test_outside_a_launch() -> None:
    status, _, err = side("", "--server", "true", "--client", "true")
    assert status == 2
    assert "a pair is rank 0 and rank 1" in err


@pytest.mark.parametrize("rank", ["0", "1"])
def test_a_program_that_is_missing_is_named(rank: str) -> None:
    status, _, err = side(rank, "--server", "/no/ib_write_bw", "--client", "/no/ib_write_bw", "-p", "1", "host")
    assert status == 127
    assert f"/no/ib_write_bw is not on {socket.gethostname()}" in err


def test_a_client_gives_up_without_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair, "_PAUSE_S", 0.01)
    tried = tmp_path / "tried"
    script = tmp_path / "client"
    script.write_text(f'#!/bin/sh\necho x >>"{tried}"\necho "Couldn\'t connect to $3:$2" >&2\nexit 1\n')
    script.chmod(0o755)
    (step,) = pair.parse(["--server", "true", "--client", str(script), "-p", "1", "host"])
    told: list[bytes] = []
    monkeypatch.setattr(pair, "_say", lambda fd, text: told.append(text))
    monkeypatch.setattr("signal.signal", lambda *_: None)
    assert pair.connect(pair._Child(), step, wait_s=0.2) == 1
    assert len(tried.read_text().split()) > 1
    said = b"".join(told).decode()
    assert said.count("Couldn't connect to host:1") == 1
    assert "no server answered on host, TCP port 1, for 0.2 s" in said


def test_a_server_that_still_waits_is_released() -> None:
    port = free_port()
    (step,) = pair.parse(["--server", "p", "--client", "p", "-p", str(port), "127.0.0.1"])
    with socket.create_server(("127.0.0.1", port)) as server:
        server.settimeout(30)
        pair.release(step)
        peer, _ = server.accept()
        with peer:
            assert peer.recv(1) == b""
