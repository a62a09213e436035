"""``slowlink act``: what it prints and writes, and that it does nothing else."""

from __future__ import annotations

from pathlib import Path
from stat import S_IMODE

import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot
from msgspec.structs import replace

from slowlink.cli.main import cli
from slowlink.model.report import Diagnosis, Report, Suspect
from slowlink.report.json import plain_json

NODES = ["gpu01", "gpu02", "-oProxyCommand=reboot", "../../gpu04"]


def found(node: str) -> Diagnosis:
    return Diagnosis("gpu-missing", "A GPU is missing", "7 of 8", "node", "error", "certain", (Suspect("node", node),))


REPORT = Report(
    "slowlink.report/1", "0.1.0", "degraded", "degraded: so", diagnoses=(found("gpu02"), found("../../gpu04")),
    facts={
        "state_nodes": NODES,
        "node_state": {"gpu-uuid": [{"value": "1", "parts": ["0"], "nodes": name} for name in NODES]},
        "proofs": ["GPUs: memory without errors"],
    },
)  # fmt: skip


def slowlink(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["act", *arguments], standalone_mode=False)


@pytest.fixture(autouse=True)
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.json").write_text(plain_json(REPORT))
    return tmp_path / "report.json"


def test_tickets_and_a_hostfile_are_written_and_names_that_are_none_are_not(tmp_path: Path) -> None:
    done = slowlink("report.json", "--tickets", "deep/tickets", "--good", "good.txt", "--ports")
    assert done.return_value == 1
    assert done.stdout == snapshot("""\
2 of 4 nodes should not be used
  gpu02: gpu-missing: 7 of 8
  ../../gpu04: gpu-missing: 7 of 8
good  gpu01,-oProxyCommand=reboot
no link of the fabric is named that should be disabled
""")
    assert done.stderr == snapshot("""\
slowlink: not written to deep/tickets, since no host is called so: '../../gpu04'
slowlink: commands in the tickets are those of whoever wrote report.json
slowlink: not written to good.txt, since no host is called so: '-oProxyCommand=reboot'
""")
    written = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert written == ["deep/tickets/gpu02.md", "good.txt", "report.json"]
    assert (tmp_path / "good.txt").read_text() == "gpu01\n"
    assert S_IMODE((tmp_path / "deep").stat().st_mode) == 0o700
    assert S_IMODE((tmp_path / "good.txt").stat().st_mode) == 0o600


def test_without_an_option_nothing_is_written(tmp_path: Path) -> None:
    assert slowlink("report.json").return_value == 1
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_the_exit_status(saved: Path, tmp_path: Path) -> None:
    saved.write_text(plain_json(replace(REPORT, verdict="healthy", diagnoses=())))
    assert slowlink("report.json").return_value == 0
    assert slowlink("report.json", "--fail-on", "never").return_value == 0
    saved.write_text(plain_json(replace(REPORT, verdict="inconclusive", diagnoses=())))
    assert slowlink("report.json").return_value == 3
    (tmp_path / "job.log").write_text("nothing known\n")
    assert slowlink("job.log").return_value == 3


def test_no_hostfile_is_empty(saved: Path, tmp_path: Path) -> None:
    """A launcher may take an empty one for this host; and one of yesterday names nodes that nobody calls good today."""
    (tmp_path / "good.txt").write_text("gpu01\n")
    saved.write_text(plain_json(replace(REPORT, verdict="inconclusive", diagnoses=())))
    done = slowlink("report.json", "--good", "good.txt")
    assert done.return_value == 3
    assert done.stderr == "slowlink: no node is known to be good, so there is no hostfile good.txt\n"
    assert not (tmp_path / "good.txt").exists()


def test_the_input_is_not_written_over() -> None:
    done = slowlink("report.json", "--good", "report.json")
    assert "report.json is an input" in getattr(done.exception, "message", "")


def test_a_place_that_is_a_file_is_told(saved: Path) -> None:
    done = slowlink("report.json", "--tickets", str(saved))
    assert "cannot write" in getattr(done.exception, "message", "")


def test_what_is_said_of_many_nodes_is_said_once(saved: Path) -> None:
    """It was said for each of them, with the names of all: a page of names for each node."""
    names = [f"gpu{number:02d}" for number in range(1, 9)]
    folded = "gpu[01-03]"
    many = replace(
        found("gpu01"), message=f"{folded}: 7 of 8", suspects=tuple(Suspect("node", name) for name in names[:3])
    )
    state = {"gpu-uuid": [{"value": "1", "parts": ["0"], "nodes": name} for name in names]}
    facts = {"state_nodes": names, "node_state": state, "proofs": ["GPUs: memory without errors"]}
    saved.write_text(plain_json(replace(REPORT, diagnoses=(many, found("gpu08")), facts=facts)))
    assert slowlink("report.json").stdout == snapshot("""\
4 of 8 nodes should not be used
  3 nodes: gpu[01-03]
    gpu-missing: 7 of 8
  gpu08: gpu-missing: 7 of 8
good  gpu[04-07]
""")
