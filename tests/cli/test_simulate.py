"""``slowlink simulate``, and ``isolate`` and ``compare`` on what it wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click import UsageError
from click.testing import CliRunner, Result

from slowlink.cli.isolate import command as isolate_command
from slowlink.cli.simulate import command as simulate_command
from slowlink.errors import SlowlinkError
from slowlink.workflows.analyze import analyze


def simulate(*arguments: str) -> Result:
    return CliRunner().invoke(simulate_command, arguments, standalone_mode=False)


def isolate(*arguments: str) -> Result:
    return CliRunner().invoke(isolate_command, (*arguments, "--format", "json"), standalone_mode=False)


@pytest.fixture(scope="module")
def sick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("made") / "sick"
    done = simulate(str(place), "--nodes", "8", "--leaf-size", "0", "--fault", "node05/hca2:hca-slow=0.6")
    assert done.return_value == 0, done.output
    return place


def test_what_is_written(sick: Path) -> None:
    assert sorted(path.name for path in sick.iterdir()) == ["cluster.toml", "evidence", "truth.json"]
    assert len(list((sick / "evidence" / "pairs").iterdir())) == 28
    assert sorted(path.name for path in (sick / "evidence" / "nodes").iterdir()) == [f"node0{n}" for n in range(1, 9)]
    (fault,) = json.loads((sick / "truth.json").read_text())["faults"]
    assert (fault["kind"], fault["place"], fault["left"]) == ("hca-slow", "node05/hca2", 0.6)


def test_it_is_found_from_the_pairs_and_by_the_live_search_with_its_part(sick: Path, tmp_path: Path) -> None:
    from_pairs = json.loads(isolate("--from", str(sick / "evidence" / "pairs")).output)
    assert [bad["name"] for bad in from_pairs["bad"]] == ["node05"]
    bundle = str(tmp_path / "bundle")
    done = isolate("--simulate", str(sick / "cluster.toml"), "--parts", "--bundle", bundle)
    live = json.loads(done.stdout)
    part = {"node": "node05", "kind": "hca", "number": 2}
    assert (done.return_value, [bad["name"] for bad in live["bad"]]) == (1, ["node05"])
    assert [{name: found[name] for name in part} for found in live["parts"]] == [part]
    again = json.loads(isolate("--from", bundle).output)
    assert [bad["name"] for bad in again["bad"]] == ["node05"]
    assert [{name: found[name] for name in part} for found in again["parts"]] == [part]


def test_a_healthy_cluster_is_healthy(tmp_path: Path) -> None:
    (tmp_path / "cluster.toml").write_text("nodes = 8\nleaf_size = 0\n")
    done = isolate("--simulate", str(tmp_path / "cluster.toml"))
    assert done.return_value == 0


def test_noise_that_hides_a_slow_node_is_no_health(tmp_path: Path) -> None:
    (tmp_path / "cluster.toml").write_text("nodes = 8\nleaf_size = 0\nnoise = 0.4\n")
    done = isolate("--simulate", str(tmp_path / "cluster.toml"))
    found = json.loads(done.stdout)
    assert (done.return_value, found["smallest"] > 0.25) == (3, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [("nodes = ", "cluster.toml"), ("nodes = 1", "nodes = 1"), ("node = 4", "unknown field `node`")],
)
def test_files_that_cannot_be(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "cluster.toml"
    file.write_text(text)
    done = simulate(str(tmp_path / "made"), "--file", str(file))
    assert isinstance(done.exception, SlowlinkError)
    assert words in done.exception.message
    assert not (tmp_path / "made").exists()


def test_a_directory_with_something_in_it_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = simulate(str(tmp_path))
    assert isinstance(done.exception, SlowlinkError)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--from", "x", "--parts"),
        ("--from", "x", "--simulate", "y"),
        ("--simulate", "y", "--nodes", "a,b,c"),
        ("--simulate", "y", "--dry-run"),
        ("--nodes", "a,b,c", "--hcas", "mlx5_0"),
    ],
)
def test_options_that_contradict_one_another(arguments: tuple[str, ...]) -> None:
    assert isinstance(isolate(*arguments).exception, UsageError)


def test_what_would_run_for_single_rails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One rank of each node, on one GPU, over one HCA; and the GPU over another's."""
    program = tmp_path / "all_reduce_perf"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    words = ("--nodes", "gpu[1-4]", "--path", str(program), "--ranks-per-node", "2", "--dry-run", "--on", "ssh")
    done = CliRunner().invoke(isolate_command, (*words, "--parts", "--hcas", "mlx5_0,mlx5_4"), standalone_mode=False)
    assert done.return_value == 0, done.exception
    runs = [line for line in done.output.splitlines() if "all_reduce_perf" in line]
    assert ["CUDA_VISIBLE_DEVICES=0" in line for line in runs] == [False, True, True]
    assert ["NCCL_IB_HCA" + name in line for line, name in zip(runs, ("", "==mlx5_0", "==mlx5_4"), strict=True)] == [
        False,
        True,
        True,
    ]
    assert all("NCCL_ALGO=Ring" in line for line in runs)
    wrong = CliRunner().invoke(isolate_command, (*words, "--parts", "--hcas", "mlx5_0"), standalone_mode=False)
    assert isinstance(wrong.exception, SlowlinkError)


@pytest.mark.parametrize(
    ("fault", "cause", "who"),
    [
        ("node05/gpu2:gpu-throttled=0.7", "straggler-gpu", "process 4102 on node05"),
        ("node05:slow=0.7", "straggler-node", "node05"),
        ("node01+node05:slow=0.4", "slow-path", "node01"),
    ],
)
def test_a_training_shows_who_holds_it_up(tmp_path: Path, fault: str, cause: str, who: str) -> None:
    place = tmp_path / "job"
    done = simulate(str(place), "--nodes", "8", "--gpus", "4", "--training", "15", "--fault", fault)
    assert done.return_value == 0, done.output
    assert len(list((place / "evidence" / "inspector").iterdir())) == 32
    (found,) = analyze(str(place / "evidence" / "inspector")).diagnoses
    assert (found.cause, found.suspects[0].name) == (cause, who)


def test_a_training_of_rccl_shows_it_too(tmp_path: Path) -> None:
    place = tmp_path / "job"
    words = ("--nodes", "8", "--gpus", "4", "--training", "15", "--profiler", "accl")
    done = simulate(str(place), *words, "--fault", "node05/gpu2:gpu-throttled=0.7")
    assert done.return_value == 0, done.output
    files = place / "evidence" / "accl"
    assert len(list(files.iterdir())) == 64
    (found,) = analyze(str(files)).diagnoses
    assert (found.cause, found.confidence, found.suspects[0].name) == (
        "straggler-gpu",
        "possible",
        "process 4102 on node05",
    )
    with next(files.iterdir()).open("r+") as file:
        lines = file.read().splitlines(keepends=True)
        file.seek(0)
        file.truncate()
        file.writelines(lines[:-1])
        file.write(lines[-1].replace(':0,"leaked', ':7,"leaked').replace("true", "false"))
    (found,) = analyze(str(files)).diagnoses
    assert "1 file without all calls (" in found.message
    assert "7 collectives dropped" in found.message
    assert (place / "cluster.toml").read_text().splitlines()[-2] == 'profiler = "accl"'
    again = simulate(str(tmp_path / "again"), "--file", str(place / "cluster.toml"))
    assert again.return_value == 0, again.output
