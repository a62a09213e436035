"""Files that grow, are renamed, cut and written anew."""

from __future__ import annotations

import os
import tracemalloc
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
    monkeypatch.setattr(os, "open", None)
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


def test_what_is_no_line_yet_is_held_for_no_file(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number}.log").write_bytes(b"x" * (1 << 20))
    files = GrowingFiles(tmp_path)
    tracemalloc.start()
    try:
        assert added(files) == {}
        assert tracemalloc.get_traced_memory()[0] < 4 << 20
    finally:
        tracemalloc.stop()
    append(tmp_path / "7.log", "\n")
    assert added(files) == {"7.log": [b"x" * (1 << 20)]}


def test_lines_that_lie_across_pieces_are_whole(tmp_path: Path) -> None:
    lines = [b"%07d " % number + b"x" * 900_000 for number in range(12)]
    (tmp_path / "a.log").write_bytes(b"".join(line + b"\n" for line in lines))
    files = GrowingFiles(tmp_path)
    assert added(files) == {"a.log": lines}
    assert [file.lines for file in files.files.values()] == [12]


def test_a_hole_without_end_is_not_read_through(tmp_path: Path) -> None:
    path, files = tmp_path / "a.log", GrowingFiles(tmp_path)
    path.write_bytes(b"one\n")
    os.truncate(path, 1 << 42)
    assert added(files) == {"a.log": [b"one"]}
    assert [file.skipped for file in files.files.values()] == [True]
    assert files.endless == str(path)
    path.write_bytes(b"anew\n")
    assert added(files) == {"a.log": [b"anew"]}


def test_a_pipe_that_took_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, files = tmp_path / "a.log", GrowingFiles(tmp_path)
    append(path, "one\n")
    status = path.stat()
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr(files, "_walk", lambda: iter([(str(path), status)]))
    assert added(files) == {}
