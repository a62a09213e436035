"""Files that grow, are renamed, cut and written anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slowlink.workflows.follow.growing import GrowingFiles


def added(files: GrowingFiles) -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = {}
    for file, lines in files.added():
        found.setdefault(Path(file.name).name, []).extend(lines)
    return found


def append(path: Path, text: str) -> None:
    with path.open("a") as stream:
        stream.write(text)


def test_each_look_gives_what_is_new(tmp_path: Path) -> None:
    path, files = tmp_path / "a.log", GrowingFiles(tmp_path)
    assert added(files) == {}
    append(path, "one\ntwo\n")
    assert added(files) == {"a.log": [b"one", b"two"]}
    assert added(files) == {}
    append(path, "three\n")
    (tmp_path / "below").mkdir()
    append(tmp_path / "below" / "b.log", "other\n")
    assert added(files) == {"a.log": [b"three"], "b.log": [b"other"]}


def test_a_line_counts_when_it_has_ended(tmp_path: Path) -> None:
    path, files = tmp_path / "a.log", GrowingFiles(tmp_path)
    append(path, "one\ntw")
    assert added(files) == {"a.log": [b"one"]}
    append(path, "o")
    assert added(files) == {}
    append(path, "\n")
    assert added(files) == {"a.log": [b"two"]}


def test_lines_are_numbered_through(tmp_path: Path) -> None:
    path, files = tmp_path / "a.log", GrowingFiles(tmp_path)
    append(path, "one\ntwo\n")
    assert [file.lines for file, _ in files.added()] == [0]
    append(path, "three\n")
    assert [file.lines for file, _ in files.added()] == [2]


def test_a_file_that_was_renamed_goes_on_and_its_successor_begins(tmp_path: Path) -> None:
    path, files = tmp_path / "a.log", GrowingFiles(tmp_path)
    append(path, "one\n")
    added(files)
    append(path, "two\n")
    path.rename(tmp_path / "a.log.1")
    append(path, "three\n")
    assert added(files) == {"a.log": [b"three"], "a.log.1": [b"two"]}


def test_a_file_that_was_cut_begins_again(tmp_path: Path) -> None:
    path, files = tmp_path / "a.log", GrowingFiles(tmp_path)
    append(path, "one\ntwo\n")
    added(files)
    path.write_text("new\n")
    found = [(file.lines, lines) for file, lines in files.added()]
    assert found == [(0, [b"new"])]


def test_a_file_that_was_written_anew_and_is_longer_begins_again(tmp_path: Path) -> None:
    path, files = tmp_path / "a.log", GrowingFiles(tmp_path)
    append(path, "one\n")
    added(files)
    path.write_text("other\nand more\n")
    assert added(files) == {"a.log": [b"other", b"and more"]}


@pytest.mark.parametrize("text", ["new\n", "new\nand much more than before\n"])
def test_a_file_that_nobody_wanted_is_read_again_where_it_is_written_anew(tmp_path: Path, text: str) -> None:
    path, files = tmp_path / "a.log", GrowingFiles(tmp_path)
    append(path, "one\ntwo\n")
    for file, _ in files.added():
        file.skipped = True
    append(path, "three\n")
    assert added(files) == {}
    path.write_text(text)
    assert added(files) == {"a.log": [line.encode() for line in text.splitlines()]}


def test_what_did_not_change_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, files = tmp_path / "a.log", GrowingFiles(tmp_path)
    append(path, "one\n")
    added(files)
    monkeypatch.setattr(Path, "open", None)
    assert added(files) == {}


def test_what_is_gone_is_forgotten(tmp_path: Path) -> None:
    path, files = tmp_path / "a.log", GrowingFiles(tmp_path)
    append(path, "one\n")
    added(files)
    path.unlink()
    assert added(files) == {}
    assert files.files == {}


def test_only_plain_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/proc/self/status")
    assert added(GrowingFiles(tmp_path)) == {}


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path) -> None:
    path, files = tmp_path / "a.log", GrowingFiles(tmp_path)
    path.write_bytes(b"x" * (6 << 20))
    assert added(files) == {}
    assert [len(file.held) for file in files.files.values()] == [0]
