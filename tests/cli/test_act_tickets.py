"""Where ``slowlink act --tickets`` writes, and how much."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from slowlink.cli.act import tickets
from slowlink.cli.main import cli
from slowlink.model.report import Diagnosis, Report, Suspect
from slowlink.report.json import plain_json

NODES = ["gpu01", "gpu02", "gpu03", "gpu04"]
FOUND = Diagnosis(
    "gpu-missing", "A GPU is missing", "7 of 8", "node", "error", "certain", tuple(Suspect("node", n) for n in NODES)
)
REPORT = Report("slowlink.report/1", "0.1.0", "degraded", "so", diagnoses=(FOUND,), facts={"state_nodes": NODES})


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.json").write_text(plain_json(REPORT))
    return tmp_path


def act(source: str = "report.json", into: str = "tk") -> Result:
    return CliRunner().invoke(cli, ["act", source, "--tickets", into], standalone_mode=False)


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_no_more_tickets_than_somebody_can_read_and_the_rest_is_named(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tickets, "MOST_TICKETS", 2)
    done = act()
    assert done.return_value == 1
    assert names_in(place / "tk") == ["gpu01.md", "gpu02.md"]
    assert "2 tickets were written to tk, which is the most for one report; none for 2 more nodes: gpu[03-04]" in (
        done.stderr
    )


def test_a_ticket_takes_the_place_of_an_earlier_ticket(place: Path) -> None:
    act()
    first = (place / "tk/gpu02.md").stat().st_ino
    done = act()
    assert done.exception is None
    assert (place / "tk/gpu02.md").stat().st_ino != first


@pytest.mark.parametrize("kind", ["notes", "link", "link to a ticket", "pipe", "directory"])
def test_nothing_else_gives_its_place(kind: str, place: Path) -> None:
    """Nor is any other ticket written then."""
    there = place / "tk/gpu03.md"
    if kind == "link to a ticket":
        act(into="before")
    there.parent.mkdir()
    if kind == "notes":
        there.write_text("# gpu03: my own notes\n")
    elif kind == "link":
        there.symlink_to("nowhere")
    elif kind == "link to a ticket":
        there.symlink_to(place / "before/gpu03.md")
    elif kind == "pipe":
        os.mkfifo(there)
    else:
        there.mkdir()
    done = act()
    assert "tk/gpu03.md is no ticket of slowlink" in getattr(done.exception, "message", "")
    assert names_in(place / "tk") == ["gpu03.md"]


def test_the_input_itself_keeps_its_place_whatever_it_looks_like(place: Path) -> None:
    (place / "report.json").rename(place / "gpu03.md")
    done = act("gpu03.md", ".")
    assert "gpu03.md is an input" in getattr(done.exception, "message", "")
    assert names_in(place) == ["gpu03.md"]


def test_a_file_of_a_directory_that_is_read_keeps_its_place(place: Path) -> None:
    (place / "in").mkdir()
    (place / "report.json").rename(place / "in/report.json")
    (place / "in/gpu01.md").write_text("my own notes\n")
    done = act("in/report.json", "in")
    assert "in/gpu01.md is no ticket" in getattr(done.exception, "message", "")
    assert (place / "in/gpu01.md").read_text() == "my own notes\n"
