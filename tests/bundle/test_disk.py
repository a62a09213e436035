"""Files that appear as a whole, also where two runs have the same number and the same directory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slowlink.bundle.disk import replace_text, whole_file


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def write_two(path: Path) -> None:
    with whole_file(path) as first, whole_file(path) as second:
        second.write(b"the whole second")
        first.write(b"the first half")


def test_two_writers_of_one_name_do_not_share_their_part(tmp_path: Path) -> None:
    path = tmp_path / "x.tar.gz"
    with pytest.raises(FileExistsError):
        write_two(path)
    assert path.read_bytes() == b"the whole second"
    assert names(tmp_path) == ["x.tar.gz"]


def test_what_a_killed_run_left_goes_when_it_is_old(tmp_path: Path) -> None:
    old, young, other = (tmp_path / name for name in (".x.json.aa.part", ".x.json.bb.part", ".y.json.cc.part"))
    for part in (old, young, other):
        part.write_text("half")
    for part in (old, other):
        os.utime(part, (1.0, 1.0))
    replace_text(tmp_path / "x.json", "{}")
    assert names(tmp_path) == [".x.json.bb.part", ".y.json.cc.part", "x.json"]
    assert (tmp_path / "x.json").stat().st_mode & 0o777 == 0o600


def test_a_write_that_a_signal_ends_leaves_nothing_and_keeps_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.json"
    path.write_text("old")

    def interrupted(_descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("slowlink.bundle.disk.os.fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_text(path, "{}")
    assert names(tmp_path) == ["x.json"]
    assert path.read_text() == "old"
