"""Whatever a program gives to be read, it reads as the file does."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import slowlink
from slowlink.inputs import open_given
from slowlink.simulate.job import SimulatedJob, job_log

LOG = job_log(SimulatedJob(plateau_gbs=9.4))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "job.log"
    place.write_text(LOG)
    return place


@pytest.mark.parametrize(
    "give",
    [
        str,
        lambda path: path.read_bytes(),
        lambda path: bytearray(path.read_bytes()),
        lambda path: gzip.compress(path.read_bytes()),
        lambda path: path.open("rb"),
        lambda path: path.open(encoding="utf-8"),
        lambda path: io.StringIO(path.read_text()),
        lambda path: iter(path.read_text().splitlines()),
        lambda path: (line for line in path.read_bytes().splitlines(keepends=True)),
        lambda path: [path.read_bytes()],
    ],
)
def test_every_way_gives_the_same_report(path: Path, give: Callable[[Path], object]) -> None:
    report = slowlink.analyze(give(path))  # type: ignore[arg-type]
    assert (report.verdict, report.headline) == (slowlink.analyze(path).verdict, slowlink.analyze(path).headline)
    assert [item.lines for item in report.inputs] == [LOG.count("\n")]


def test_several_of_several_kinds(path: Path) -> None:
    several: list[Any] = [path, b"words\n", io.BytesIO(b"more words\n")]
    report = slowlink.analyze(several)
    assert [item.path for item in report.inputs] == [str(path), "input-1", "input-2"]


def test_what_cannot_be_read_is_said() -> None:
    with pytest.raises(slowlink.SlowlinkError, match="cannot read a int"):
        slowlink.analyze(7)  # type: ignore[arg-type]
    with pytest.raises(slowlink.SlowlinkError, match="no such file"):
        slowlink.analyze("nowhere.log")


def test_hardware_by_name_and_by_parts() -> None:
    named = slowlink.analyze(LOG.encode(), hardware="hgx_h100")
    made = slowlink.analyze(LOG.encode(), hardware=slowlink.hardware("hgx_h100"))
    assert named.expectations == made.expectations
    parts = slowlink.hardware(gpu="h100-sxm", gpus_per_node=8, nics="8x400", nodes=2)
    assert (parts.gpu, parts.gpus_per_node, parts.nodes) == ("h100-sxm", 8, 2)
    with pytest.raises(ValueError, match="give a system"):
        slowlink.hardware()
    with pytest.raises(slowlink.SlowlinkError, match="unknown system"):
        slowlink.analyze(LOG.encode(), hardware="hgx_h10")


@given(st.lists(st.text(alphabet="ab \t", max_size=5), max_size=20))
def test_lines_are_lines(lines: list[str]) -> None:
    (item,) = open_given(iter([*lines, "end"]))
    assert b"".join(item.chunks()) == "".join(f"{line}\n" for line in [*lines, "end"]).encode()
