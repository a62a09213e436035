"""``slowlink follow`` as a person calls it: until a time, and until Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from slowlink.cli.follow import command
from slowlink.errors import SlowlinkError
from slowlink.simulate.training.columns import columns_of
from slowlink.simulate.training.inspector_output import files_of
from slowlink.simulate.training.job import Job, Noise, Shape, Sick
from slowlink.workflows.follow.of_job import is_job


def write_job(place: Path, sick: Sick) -> None:
    for name, text in files_of(columns_of(Job(Shape(4, 4, 2), Noise(), sick, 1), 30)):
        (place / name).write_text(text)


def test_the_report_comes_at_the_end(tmp_path: Path) -> None:
    write_job(tmp_path, Sick(gpu={9: 0.7}))
    done = CliRunner().invoke(command, [str(tmp_path), "--for", "0.1", "--format", "json"], standalone_mode=False)
    assert done.return_value == 1
    report = json.loads(done.stdout)
    assert [each["cause"] for each in report["diagnoses"]] == ["straggler-gpu"]
    assert "straggler-gpu" not in done.stderr  # one look accuses nobody yet


def test_a_healthy_job_proves_nothing(tmp_path: Path) -> None:
    write_job(tmp_path, Sick())
    done = CliRunner().invoke(command, [str(tmp_path), "--for", "0.1", "--format", "json"], standalone_mode=False)
    assert done.return_value == 3
    assert "nobody holds the collectives up" in done.stderr


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, [str(tmp_path / "x")], standalone_mode=False)
    assert isinstance(done.exception, SlowlinkError)


def test_a_number_without_slurm_is_no_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(command, ["4711"], standalone_mode=False)
    assert isinstance(done.exception, SlowlinkError)
    assert "4711 is no directory, and there is no Slurm here" in done.exception.message


@pytest.mark.parametrize("word", ["4711; id", "-1", "4711_1_1", "", "٤٧"])
def test_what_is_no_number_of_a_job_is_asked_of_nobody(word: str) -> None:
    assert not is_job(word)
    done = CliRunner().invoke(command, ["--", word], standalone_mode=False)
    assert isinstance(done.exception, SlowlinkError)
    assert "or the number of a job of Slurm" in done.exception.hint


def test_an_interrupt_gives_the_whole_report(tmp_path: Path) -> None:
    write_job(tmp_path, Sick())
    words = [sys.executable, "-m", "slowlink", "follow", str(tmp_path), "--interval", "0.2", "--format", "json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        first = child.stderr.readline()
        write_job(tmp_path, Sick(gpu={9: 0.7}))
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert "nobody holds the collectives up" in first
    assert child.returncode == 130
    assert json.loads(out)["verdict"] == "degraded"
    assert err.endswith("slowlink: interrupted\n")
