"""No threshold passes on what was not read to its end, nor on what is broken; every format says so."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from run_samples import MIB, launch, report, sweep

from heaps import job, table
from slowlink import exits
from slowlink.cli.main import cli
from slowlink.model.report import Diagnosis, InputSummary, Report
from slowlink.workflows.gate_grounds import with_grounds
from slowlink.workflows.gates import Wanted, judge
from slowlink.workflows.log_gates import judge_log

CUT = InputSummary("b.log.gz", ("nccl-tests",), 1, 1, 1, 0, 0, problem="truncated gzip data", partial=True)
WHOLE = InputSummary("a.log", ("nccl-tests",), 1, 1, 1, 0, 0)
LOST = Diagnosis("nodes-unanswered", "no answer", "gpu07 did not answer", "launch", "warning", "certain")


def unsound() -> list[tuple[Report, int, str]]:
    good = replace(report(sweep()), inputs=(WHOLE,))
    return [
        (replace(good, inputs=(WHOLE, CUT)), exits.INCONCLUSIVE, "everything was read: b.log.gz: truncated gzip data"),
        (replace(good, diagnoses=(LOST,)), exits.INCONCLUSIVE, "everything was read: gpu07 did not answer"),
        (replace(good, verdict="broken", headline="it hung"), exits.FINDINGS, "nothing is broken: it hung"),
    ]


@pytest.mark.parametrize(("shown", "status", "words"), unsound())
def test_no_threshold_passes_without_its_grounds(shown: Report, status: int, words: str) -> None:
    wanted = Wanted("all_reduce", 8, 8 * MIB, min_busbw_gbs=95)
    of_run = with_grounds(judge(shown, [launch()], 1, wanted), shown)
    for judged in (of_run, judge_log(shown, 95, None)):
        assert exits.decide("healthy", gates=judged.statuses, thresholds=True) == status
        assert not [gate for gate in judged.gates if gate.threshold and gate.passed]
        assert any(line.endswith(words) for line in judged.lines())


def test_a_run_without_thresholds_is_left_to_its_verdict() -> None:
    shown, _, _ = unsound()[0]
    judged = judge(shown, [launch()], 1, Wanted("all_reduce", 8, 8 * MIB))
    assert with_grounds(judged, shown) == judged


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sound table, and a second one in the part that is missing."""
    monkeypatch.chdir(tmp_path)
    text = table(job("gpu01", "gpu02"))
    whole = tmp_path / "whole.log"
    whole.write_text(text)
    noise = "\n".join(f"{number * 7919 % 104729} {number * number}" for number in range(40000))
    packed = gzip.compress(f"{text}\n{noise}\n{text}".encode(), mtime=0)
    (tmp_path / "cut.log.gz").write_bytes(packed[: len(packed) // 2])
    return whole


def gated(path: str, form: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["analyze", path, "--min-busbw", "1", "--format", form], standalone_mode=False)
    assert done.exception is None, done.exception
    return done.return_value, done.stdout


def test_the_gate_says_so_as_text_json_and_junit(log: Path) -> None:
    said = "cut.log.gz: truncated gzip data"
    assert gated(log.name, "terminal")[0] == exits.HEALTHY
    status, text = gated("cut.log.gz", "terminal")
    assert status == exits.INCONCLUSIVE
    assert f"NOT MEASURED: everything was read: {said}" in text
    status, text = gated("cut.log.gz", "json")
    told = {gate["name"]: (gate["status"], gate["message"]) for gate in json.loads(text)["facts"]["gates"]}
    assert (status, told["everything was read"]) == (exits.INCONCLUSIVE, (exits.INCONCLUSIVE, said))
    status, text = gated("cut.log.gz", "junit")
    cases = {case.get("name"): case for case in fromstring(text).iter("testcase")}
    error = cases["gate: everything was read"].find("error")
    assert status == exits.INCONCLUSIVE
    assert error is not None
    assert error.get("message") == said
