"""``slowlink compare`` as a person uses it, on texts that our simulator renders."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot
from msgspec.structs import replace

from slowlink import analyze
from slowlink.cli.main import cli
from slowlink.errors import SlowlinkError
from slowlink.report.comparison_text import render_comparison
from slowlink.report.json import render_text as report_json
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster
from slowlink.workflows.compare import compare_paths


def run(monkeypatch: pytest.MonkeyPatch, place: Path, *arguments: str) -> Result:
    monkeypatch.chdir(place)
    return CliRunner().invoke(cli, ["compare", *arguments], standalone_mode=False)


def job(plateau_gbs: float, env: Mapping[str, str], version: str = "2.21.5") -> str:
    cluster = replace(LoggedCluster(), env=env, version=version)
    return job_log(SimulatedJob(cluster=cluster, plateau_gbs=plateau_gbs))


def settings(values: Mapping[str, int]) -> str:
    return "".join(
        f"[root@{node} ~]# grep -H . /proc/sys/kernel/numa_balancing\n/proc/sys/kernel/numa_balancing:{value}\n"
        for node, value in values.items()
    )


def test_a_loss_with_a_setting_that_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old.log").write_text(job(47.5, {}))
    (tmp_path / "new.log").write_text(job(31.0, {"NCCL_ALGO": "Tree"}))
    result = run(monkeypatch, tmp_path, "old.log", "new.log")
    assert result.return_value == 1
    assert result.output == snapshot("""\
SLOWER  all_reduce on 16 ranks: 47.25 -> 30.84 GB/s (-35 %) from 512 MiB to 8 GiB; possible cause: NCCL_ALGO=Tree forces the algorithm for all sizes; new: all_reduce with 16 ranks on 2 nodes reaches 30.9 GB/s of an expected 82, 38% of what healthy systems show on the least hardware that the nodes can have

What may explain it
  NCCL_ALGO=Tree forces the algorithm for all sizes  [possible]  Measure with and without.

Measured
  all_reduce, 16 ranks on 2 nodes, busbw of 512 MiB to 8 GiB: 47.25 -> 30.84 GB/s (-34.7 %): slower;
    changes up to 5% are ordinary between launches

New causes
  busbw-below-expected [error, possible]: all_reduce with 16 ranks on 2 nodes reaches 30.9 GB/s of
    an expected 82, 38% of what healthy systems show on the least hardware that the nodes can have
  tuning-harmful [warning, possible]: NCCL_ALGO=Tree forces the algorithm for all sizes

Causes that are gone
  hardware-unknown [info, certain]: all_reduce with 16 ranks on 2 nodes: 47.4 GB/s is 26% of the 184
    GB/s to expect of 8 x 200 Gb/s, and within the 43 to 92 GB/s of 4 x 100 Gb/s; to settle it, say
    the NICs of a node (--nics)

Changed in the job
  NCCL_ALGO: not set -> Tree

Compared
  old old.log: inconclusive: all_reduce with 16 ranks on 2 nodes: 47.4 GB/s is 26% of the 184 GB/s
    to expect of 8 x 200 Gb/s, and within the 43 to 92 GB/s of 4 x 100 Gb/s; to settle it, say the
    NICs of a node (--nics)
  new new.log: all_reduce with 16 ranks on 2 nodes reaches 30.9 GB/s of an expected 82, 38% of what
    healthy systems show on the least hardware that the nodes can have
""")


def test_snapshots_of_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = {f"gpu{number:02}": 0 for number in range(1, 17)}
    (tmp_path / "old.txt").write_text(settings(old))
    (tmp_path / "new.txt").write_text(settings({**old, "gpu07": 1, "gpu12": 1}))
    result = run(monkeypatch, tmp_path, "old.txt", "new.txt")
    assert result.return_value == 0
    assert result.output == snapshot("""\
CHANGED  new: gpu[07,12]: automatic NUMA balancing is on: the kernel may move memory under running ranks; 1 change of nodes or job; no benchmark in either

New causes
  numa-balancing-on [warning, certain]: gpu[07,12]: automatic NUMA balancing is on: the kernel may
    move memory under running ranks

Changed on nodes
  gpu[07,12]: automatic NUMA balancing: off -> on

Compared
  old old.txt: inconclusive: nothing was measured; what the input shows is right: 16 nodes are alike
    in all that was compared (gpu[01-16])
  new new.txt: gpu[07,12]: automatic NUMA balancing is on: the kernel may move memory under running
    ranks (gpu[01-16])
""")


def test_a_saved_report_stands_for_what_it_was_made_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = {"a": 0, "b": 0}
    (tmp_path / "old.txt").write_text(settings(nodes) + job(47.5, {}))
    (tmp_path / "new.txt").write_text(settings({**nodes, "b": 1}) + job(31.0, {}, version="2.20.5"))
    for name in ("old", "new"):
        saved = CliRunner().invoke(
            cli, ["analyze", str(tmp_path / f"{name}.txt"), "--format", "json"], standalone_mode=False
        )
        (tmp_path / f"{name}.json").write_text(saved.output)
    direct = json.loads(run(monkeypatch, tmp_path, "old.txt", "new.txt", "--format", "json").output)
    saved_ones = json.loads(run(monkeypatch, tmp_path, "old.json", "new.json", "--format", "json").output)
    for side in ("old", "new"):
        direct[side].pop("name")
        saved_ones[side].pop("name")
    text = json.dumps(saved_ones).replace(f"{tmp_path}/", "")
    assert json.loads(text) == direct
    assert [change["name"] for change in direct["job"]] == ["nccl"]
    assert [(change["nodes"], change["old"], change["new"]) for change in direct["state"]] == [("b", "off", "on")]


def test_nothing_in_common_is_inconclusive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old.txt").write_text("hello\n")
    (tmp_path / "new.txt").write_text("world\n")
    result = run(monkeypatch, tmp_path, "old.txt", "new.txt")
    assert result.return_value == 3
    assert result.output.startswith("INCOMPARABLE")


def test_one_run_writes_all_formats_and_the_json_fits_the_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    (tmp_path / "old.log").write_text(settings({"a": 0}) + job(47.5, {}))
    (tmp_path / "new.log").write_text(settings({"a": 1}) + job(31.0, {"NCCL_ALGO": "Tree"}))
    result = run(monkeypatch, tmp_path, "old.log", "new.log", "-o", "c.json", "-o", "c.md", "-o", "c.txt")
    assert result.return_value == 1
    assert (tmp_path / "c.txt").read_text() == result.output
    assert (tmp_path / "c.md").read_text().startswith("<!-- written by slowlink -->\n## SLOWER: ")
    schema = json.loads(run(monkeypatch, tmp_path, "--schema").output)
    jsonschema.validate(json.loads((tmp_path / "c.json").read_text()), schema)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-", "-"), "standard input can be one of the two, not both"),
        (("a.log", "b.log", "-o", "c.html"), "the suffix must be one of .json, .md, .txt"),
    ],
)
def test_wrong_words_are_refused_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    result = run(monkeypatch, tmp_path, *arguments)
    assert isinstance(result.exception, click.UsageError)
    assert words in str(result.exception)


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.log").write_text("hello\n")
    result = run(monkeypatch, tmp_path, "a.log", "a.log", "-o", "missing/c.json")
    assert isinstance(result.exception, SlowlinkError)
    assert "cannot write missing/c.json" in str(result.exception)


@pytest.mark.parametrize("color", [False, True])
def test_a_narrow_terminal_gets_lines_that_fit(tmp_path: Path, color: bool) -> None:
    (tmp_path / "old.log").write_text(job(47.5, {}))
    (tmp_path / "new.log").write_text(job(31.0, {"NCCL_ALGO": "Tree"}))
    found = compare_paths(str(tmp_path / "old.log"), str(tmp_path / "new.log"))
    shown = re.sub(r"\x1b\[[0-9;]*m", "", render_comparison(replace(found, old=found.new), color=color, width=50))
    words = [word for word in shown.split() if len(word) > 40]
    assert max(len(line) for line in shown.splitlines() if not any(word in line for word in words)) <= 50
    assert shown.splitlines()[1].startswith("        ")


def test_a_word_of_the_outcome_alone_is_coloured(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(job(47.5, {}))
    found = compare_paths(str(tmp_path / "a.log"), str(tmp_path / "a.log"))
    assert render_comparison(found, color=True).startswith("\x1b[1;32mSAME\x1b[0m  the same within")


@pytest.mark.parametrize("side", ["old", "new"])
def test_what_was_not_read_of_one_side_leaves_it_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side: str
) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "job.log").write_text(job(47.5, {}))
    assert run(monkeypatch, tmp_path, "old", "new").return_value == 0
    (tmp_path / side / "state.7z").write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(200))
    done = run(monkeypatch, tmp_path, "old", "new")
    assert done.return_value == 3
    assert done.output.startswith("INCONCLUSIVE  the same within what is ordinary")
    assert f"not everything was read of {side}: {side}/state.7z: a 7z archive" in done.output.splitlines()[0]


def test_what_was_not_read_is_in_saved_reports_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "job.log").write_text(job(47.5, {}))
    (tmp_path / "state.7z").write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(200))
    report = json.loads(report_json(analyze([str(tmp_path / "job.log"), str(tmp_path / "state.7z")])))
    (tmp_path / "new.json").write_text(json.dumps(report))
    for each in report["inputs"]:
        del each["partial"]  # as before they told
    (tmp_path / "old.json").write_text(json.dumps(report))
    for name in ("old.json", "new.json"):
        assert run(monkeypatch, tmp_path, "job.log", name).return_value == 3


def test_what_is_slower_is_so_whatever_was_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, gbs in (("old", 47.5), ("new", 31.0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "job.log").write_text(job(gbs, {}))
    (tmp_path / "new" / "state.7z").write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(200))
    done = run(monkeypatch, tmp_path, "old", "new")
    assert (done.return_value, "not everything was read of new" in done.output) == (1, True)


def test_a_run_that_stopped_before_the_largest_size_is_not_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = job(47.5, {})
    (tmp_path / "old.log").write_text(text)
    shorter = [line for line in text.splitlines(keepends=True) if not line.lstrip().startswith("8589934592 ")]
    (tmp_path / "new.log").write_text("".join(shorter))
    result = run(monkeypatch, tmp_path, "old.log", "new.log")
    assert result.return_value == 3
    assert "was not measured again beyond 4 GiB, up to 8 GiB as the old one was" in result.output
