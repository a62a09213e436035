"""``slowlink watch`` as a person calls it, on this machine: slips, how the program ended, Ctrl-C at the first moment."""

from __future__ import annotations

import json
import shutil
import signal
import sys
import threading
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from slowlink.bundle import BundleWriter
from slowlink.cli.watch import command
from slowlink.errors import SlowlinkError
from slowlink.launch.fanout.ways import way_of
from slowlink.model.plan import Node
from slowlink.samplers import Sampling
from slowlink.workflows import watch as workflow

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("awk") is None, reason="samples /proc with awk"
)


def watch(place: Path, *words: str) -> Result:
    options = ("--interval", "0.2", "--bundle", str(place / "bundle"), "--format", "json")
    return CliRunner().invoke(command, [*options, *words], standalone_mode=False)


def manifest(place: Path) -> str:
    return (place / "bundle" / "manifest.json").read_text()


def test_a_slip_in_an_option_is_no_program(tmp_path: Path) -> None:
    done = watch(tmp_path, "--node", "a", "--for", "1")
    assert isinstance(done.exception, click.NoSuchOption)
    assert not (tmp_path / "bundle").exists()


def test_a_program_that_is_not_there_is_said_before_anything_is_sampled(tmp_path: Path) -> None:
    done = watch(tmp_path, "--", "no-such-program", "-x")
    assert isinstance(done.exception, SlowlinkError)
    assert done.exception.message == "there is no program no-such-program to run"
    assert not (tmp_path / "bundle").exists()


def test_how_the_program_ended_is_said_and_its_options_are_its_own(tmp_path: Path) -> None:
    done = watch(tmp_path, "sh", "-c", "exit 3")
    assert done.exception is None
    assert "sh ended with status 3\n" in done.output


def test_the_end_that_the_user_chose_is_no_rank_that_hangs(tmp_path: Path) -> None:
    done = watch(tmp_path, "--for", "1", "--", "sleep", "60")
    assert "sleep was ended after the 1 s of --for\n" in done.output
    assert "rank-stuck" not in [found["cause"] for found in json.loads(done.stdout)["findings"]]
    assert '"reason": "timeout"' not in manifest(tmp_path)


def test_ctrl_c_while_it_starts_leaves_no_sampler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_seconds: float) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("slowlink.workflows.watch.time.sleep", interrupted)
    way = way_of("local", {"sh": "/bin/sh"})
    with BundleWriter(tmp_path / "bundle", command=["slowlink"]) as bundle:
        watching = workflow.Watching([Node("here")], way, Sampling("abc", interval_s=0.2), bundle)
        with pytest.raises(KeyboardInterrupt), watching:
            pytest.fail("entered")
    assert "slowlink-watch" not in [thread.name for thread in threading.enumerate()]
