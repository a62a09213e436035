"""Nothing foreign is followed below a directory, and what is below one is bounded."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from slowlink.inputs import directory, open_inputs
from slowlink.inputs.directory import entries_below
from slowlink.model.bundle import MANIFEST_NAME


def read(path: Path) -> dict[str, tuple[bytes, str | None]]:
    return {item.name: (b"".join(item.chunks()), item.problem) for item in open_inputs([str(path)])}


def test_links_below_a_directory_are_named_and_not_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "shadow").write_text("root:secret\n")
    top = tmp_path / "logs"
    top.mkdir()
    (top / "app.log").symlink_to(tmp_path / "elsewhere" / "shadow")
    (top / "old").symlink_to(tmp_path / "elsewhere")
    assert read(top) == {
        f"{top}/app.log": (b"", "a symbolic link, not read"),
        f"{top}/old": (b"", "a symbolic link, not read"),
    }


def test_links_in_a_bundle_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "shadow").write_text("root:secret\n")
    bundle = tmp_path / "slowlink-1"
    bundle.mkdir()
    (bundle / MANIFEST_NAME).write_text('{"schema": "slowlink.bundle/1"}')
    (bundle / "app.log").symlink_to(tmp_path / "shadow")
    assert read(bundle)[f"{bundle}!app.log"] == (b"", "a symbolic link, not read")


def test_a_linked_manifest_makes_no_bundle(tmp_path: Path) -> None:
    (tmp_path / "manifest").write_text('{"schema": "slowlink.bundle/1"}')
    top = tmp_path / "logs"
    top.mkdir()
    (top / MANIFEST_NAME).symlink_to(tmp_path / "manifest")
    assert list(read(top)) == [f"{top}/{MANIFEST_NAME}"]


def test_a_link_that_the_user_names_is_read(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text("one\n")
    (tmp_path / "file").symlink_to(tmp_path / "logs" / "a.log")
    (tmp_path / "folder").symlink_to(tmp_path / "logs")
    assert read(tmp_path / "file") == {f"{tmp_path}/file": (b"one\n", None)}
    assert read(tmp_path / "folder") == {f"{tmp_path}/folder/a.log": (b"one\n", None)}


def test_a_file_that_becomes_a_link_in_between_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "shadow").write_text("root:secret\n")
    top = tmp_path / "logs"
    top.mkdir()
    (top / "a.log").write_text("one\n")
    for entry in entries_below(str(top)):
        (top / "a.log").unlink()
        (top / "a.log").symlink_to(tmp_path / "shadow")
        with pytest.raises(OSError, match="symbolic links"):
            entry.open()


def test_a_file_that_becomes_a_pipe_in_between_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("one\n")
    for entry in entries_below(str(tmp_path)):
        (tmp_path / "a.log").unlink()
        os.mkfifo(tmp_path / "a.log")
        with pytest.raises(OSError, match="not a regular file"):
            entry.open()


def test_a_folder_of_very_many_files_is_cut_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "MOST_FILES", 3)
    for name in "abcde":
        (tmp_path / name).write_text("one\n")
    found = read(tmp_path)
    assert found.pop(str(tmp_path)) == (b"", "holds more than 3 files; the others were not read")
    assert [text for text, _ in found.values()] == [b"one\n"] * 3


def test_folders_in_folders_have_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "MOST_DEPTH", 2)
    deep = tmp_path / "1" / "2" / "3"
    deep.mkdir(parents=True)
    (deep / "a.log").write_text("one\n")
    assert read(tmp_path) == {str(deep): (b"", "lies more than 2 folders deep, not read")}


def test_names_that_are_no_utf_8_are_written_out(tmp_path: Path) -> None:
    named = os.fsdecode(os.fsencode(tmp_path) + b"/Pr\xfcfung.log")
    Path(named).write_text("one\n")
    expected = {f"{tmp_path}/Pr\\xfcfung.log": (b"one\n", None)}
    assert read(tmp_path) == expected
    assert read(Path(named)) == expected
