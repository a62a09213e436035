"""``slowlink attach`` as it is typed: on this machine, against servers that speak RAS's protocol."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fake_ras import serving
from slowlink.cli.attach import command
from slowlink.errors import SlowlinkError
from slowlink.workflows.analyze import analyze


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("SLURM_", "KUBERNETES_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def invoke(*arguments: str) -> Result:
    result = CliRunner().invoke(command, ["--no-history", "--no-snapshot", *arguments], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result


def test_a_job_that_goes_on() -> None:
    with serving("json") as (port, job):
        result = invoke("--address", f"localhost:{port}", "--between", "5", "-o", "found", "--format", "json")
    report = json.loads(result.stdout)
    assert (result.return_value, report["verdict"], report["findings"]) == (0, "healthy", [])
    assert "RAS lists 1 communicator over 8 GPUs, all running and none with an error" in report["headline"]
    assert "every rank of 1 of them has launched more within" in report["headline"]
    assert job.answers == 2
    assert [word for word in job.commands if word.startswith("CONTROL")] == []
    again = analyze("found")
    assert (again.verdict, again.headline) == (report["verdict"], report["headline"])


def test_a_rank_that_stays_behind() -> None:
    with serving("behind") as (port, _):
        result = invoke("--address", f"localhost:{port}", "--between", "5", "-o", "found", "--format", "json")
    (found,) = json.loads(result.stdout)["findings"]
    assert (result.return_value, found["cause"], found["confidence"]) == (1, "rank-stuck", "likely")
    assert [f"{each['kind']} {each['name']}" for each in found["suspects"]] == ["rank 5", "node 10.1.0.9"]
    assert "rank 5" in analyze("found").headline


def test_where_no_job_runs_nothing_is_healthy() -> None:
    with serving("json") as (port, _):
        pass
    result = invoke("--address", f"localhost:{port}", "--between", "5", "-o", "found", "--format", "json")
    report = json.loads(result.stdout)
    assert (result.return_value, report["verdict"]) == (3, "inconclusive")
    assert [each["cause"] for each in report["findings"]] == ["job-unasked"]
    assert f"localhost:{port}: nothing listens there" in report["headline"]


@pytest.mark.parametrize(
    "address", ["localhost", "localhost:0", "localhost:70000", "a b:1", "$(id):1", "-x:1", "x:1;id"]
)
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(SlowlinkError, match="is no address of RAS"):
        invoke(f"--address={address}")


def test_the_script_is_shown_and_reads_only() -> None:
    shown = invoke("--dry-run", "--address", "localhost:4711").stdout
    assert "ADDRESSES=localhost:4711" in shown
    assert "VERBOSE STATUS" in shown
    assert "CONTROL" not in shown
