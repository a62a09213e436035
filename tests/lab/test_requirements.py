"""What a user is told where no lab can be made; needs neither root nor Linux."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from slowlink.cli.lab import command
from slowlink.errors import SlowlinkError
from slowlink.lab import state, tools


def test_other_systems_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    with pytest.raises(SlowlinkError, match="Linux namespaces"):
        tools.check_machine()


def test_users_are_told_to_become_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(SlowlinkError, match="needs root") as raised:
        tools.check_machine()
    assert raised.value.hint == "sudo slowlink lab up"


def test_every_missing_program_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(tools, "find", lambda program: None if program in {"sshd", "tc", "ip"} else program)
    with pytest.raises(SlowlinkError) as raised:
        tools.check_machine()
    assert raised.value.message == "a lab needs ip, tc, sshd"
    assert raised.value.hint == "apt-get install iproute2 openssh-server"


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", "a" * 33, "a b"])
def test_bad_names_are_refused(name: str) -> None:
    with pytest.raises(SlowlinkError, match="no name for a lab"):
        state.directory(name)


@pytest.mark.parametrize("slow", ["node9=200mbit", "node1", "node1=fast", "=1gbit"])
def test_a_bad_limit_is_refused_before_anything_is_made(slow: str) -> None:
    result = CliRunner().invoke(command, ["up", "--nodes", "2", "--slow", slow, "--name", "never"])
    assert isinstance(result.exception, SlowlinkError)
    assert state.load("never") is None


def test_state_that_others_can_write_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    own = state.directory("lab")
    own.mkdir(parents=True)
    (own / "lab.json").write_text("{}")
    own.parent.chmod(0o777)
    with pytest.raises(SlowlinkError, match="not ours alone"):
        state.load("lab")
    own.parent.chmod(0o700)
    own.chmod(0o700)
    found = state.load("lab")
    assert found is not None
    assert found.processes() == []


def test_status_and_down_without_a_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    for word, answer in (("status", "lab 'lab' is not up\n"), ("down", "there is no lab 'lab'\n")):
        assert CliRunner().invoke(command, [word], standalone_mode=False).stdout == answer
