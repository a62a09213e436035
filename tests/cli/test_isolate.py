"""``slowlink isolate``: what is refused before anything runs, and decisions from pairs of others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest
from click import BadParameter
from click.testing import CliRunner, Result

from slowlink.cli.isolate import command
from slowlink.errors import SlowlinkError
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster


def isolate(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, standalone_mode=False)


def pair(one: str, other: str, gbs: float) -> str:
    sizes = {"smallest_bytes": 1 << 30, "largest_bytes": 8 << 30, "logged": False}
    return job_log(SimulatedJob(LoggedCluster(hosts=(one, other)), plateau_gbs=gbs, **sizes))  # type: ignore[arg-type]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """All pairs of five nodes: n3 is slow with everybody."""
    names = ("n1", "n2", "n3", "n4", "n5")
    for index, one in enumerate(names):
        for other in names[index + 1 :]:
            gbs = 200.0 if "n3" in (one, other) else 390.0
            (tmp_path / f"{one}_{other}.log").write_text(pair(one, other, gbs))
    return tmp_path


def test_pairs_that_others_measured(results: Path, tmp_path: Path) -> None:
    done = isolate("--from", str(results), "--format", "json", "--good", str(tmp_path / "good.txt"))
    found = json.loads(done.output)
    assert (done.return_value, [bad["name"] for bad in found["bad"]]) == (1, ["n3"])
    assert found["headline"] == "1 of 5 nodes is slow with whomever: n3"
    assert (tmp_path / "good.txt").read_text().split() == ["n1", "n2", "n4", "n5"]


@pytest.mark.parametrize("share", ["100%", "10%"])
def test_a_confidence_that_cannot_be(share: str) -> None:
    assert isinstance(isolate("--nodes", "a,b,c", "--confidence", share).exception, BadParameter)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "which nodes?"),
        (("--nodes", "a,b"), "at least three"),
        (("--nodes", "a,b,c", "--path", "/no/program"), "/no/program does not exist"),
        (("--nodes", "a,b,c", "--leaves", "/no/file"), "cannot read /no/file"),
        (("--from", "/no/where"), "no such file"),
    ],
)
def test_what_cannot_be_is_said_and_leaves_nothing(
    arguments: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    done = isolate(*arguments)
    assert isinstance(done.exception, SlowlinkError)
    assert words in done.exception.message
    assert list(tmp_path.iterdir()) == []


def sheet(place: Path, names: Sequence[str]) -> Path:
    rows = [f'"{one}","{other}",390.0' for one, other in combinations(names, 2)]
    (place / "sheet.csv").write_text("node1,node2,bandwidth_gbs\n" + "\n".join(rows) + "\n")
    return place / "sheet.csv"


def test_a_hostfile_holds_names_of_hosts_alone(tmp_path: Path) -> None:
    names = ("n1", "n2", "n3", "-oProxyCommand=id", "$(id)", "^/etc/passwd", "node[01-99]")
    for number, (one, other) in enumerate(combinations(names, 2)):
        (tmp_path / f"{number}.log").write_text(pair(one, other, 390.0))
    done = isolate("--from", str(tmp_path), "--good", str(tmp_path / "good.hosts"))
    assert done.exception is None
    assert (tmp_path / "good.hosts").read_text() == "n1\nn2\nn3\n"
    assert "no host is called so: '$(id)', '-oProxyCommand=id'" in done.stderr


def test_no_hostfile_is_empty(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "0.log").write_text(pair("-a", "-b", 390.0))
    (tmp_path / "good.hosts").write_text("n1\n")
    done = isolate("--from", str(tmp_path / "in"), "--good", str(tmp_path / "good.hosts"))
    assert done.exception is None
    assert "there is no hostfile" in done.stderr
    assert not (tmp_path / "good.hosts").exists()


def test_a_list_of_nodes_takes_the_place_of_no_input(tmp_path: Path) -> None:
    path = sheet(tmp_path, ("n1", "n2", "n3", "n4"))
    before = path.read_text()
    for source in (path, tmp_path):
        error = isolate("--from", str(source), "--good", str(path)).exception
        assert isinstance(error, SlowlinkError)
        assert (error.slug, path.read_text()) == ("output-is-input", before)


def test_what_was_not_read_leaves_it_open(results: Path) -> None:
    for path in results.glob("*n3*"):
        path.write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(200))
    done = isolate("--from", str(results), "--format", "json")
    found = json.loads(done.output)
    assert (done.return_value, len(found["unread"]), found["bad"]) == (3, 4, [])


def test_a_node_that_left_no_log_is_absent(tmp_path: Path) -> None:
    sheet(tmp_path, ("n1.example", "n2", "n3", "n4"))
    all_there = isolate("--from", str(tmp_path), "--nodes", "n[1-4]", "--format", "json")
    assert (all_there.return_value, json.loads(all_there.output)["absent"]) == (0, [])
    two_more = isolate("--from", str(tmp_path), "--nodes", "n[1-6]")
    assert two_more.return_value == 3
    assert "INCONCLUSIVE  no test of 2 nodes: n[5-6]" in two_more.output
    assert "absent   of n[5-6] no test lies there" in two_more.output
