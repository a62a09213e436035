"""A bundle is whole at every moment: whenever its writer is killed, what was written can be read."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.bundle import BundleWriter, disk, read_bundle
from slowlink.errors import SlowlinkError
from slowlink.model.plan import Ended, Plan
from slowlink.redact import Anonymizer, Redaction

WELL = Ended(0, None, "exited", 1_700_000_000.0, 12.5)


def clock_from(start: float) -> Any:
    ticks: Iterator[int] = iter(range(10**6))
    return lambda: start + next(ticks)


def test_the_manifest_says_what_was_run_where_and_how_it_ended(tmp_path: Path) -> None:
    with BundleWriter.create(
        tmp_path, topic="all_reduce", command=["slowlink", "run", "--token", "abc"], clock=lambda: 1_700_000_000.0
    ) as bundle:
        bundle.set_plan(Plan("ssh", ("mpirun", "-np", "2"), env={"NCCL_DEBUG": "INFO"}, nodes=("n1", "n2")))
        with bundle.capture("run-1", "collective", ["mpirun", "x"], node="n1", env={"NCCL_A": "1", "HOME": "/"}) as run:
            run.write_stdout("one\ntwo")
            run.write_stderr("token=abc\n")
            run.file("probe/iterations.jsonl").write("{}\n")
            run.end(WELL)
    assert bundle.directory.name == "slowlink-20231114T221320Z-all_reduce"
    manifest = json.loads((bundle.directory / "manifest.json").read_text())
    assert manifest["schema"] == "slowlink.bundle/1"
    assert manifest["created"] == manifest["finished"] == "2023-11-14T22:13:20Z"
    assert manifest["command"] == ["slowlink", "run", "--token", "<redacted:token>"]
    assert manifest["nodes"] == ["n1", "n2"]
    assert manifest["plan"]["argv"] == ["mpirun", "-np", "2"]
    assert manifest["redacted"] == {"token": 2, "environment": 1}
    assert manifest["captures"] == [
        {
            "name": "run-1",
            "kind": "collective",
            "argv": ["mpirun", "x"],
            "node": "n1",
            "files": ["captures/run-1/stdout", "captures/run-1/stderr", "captures/run-1/probe/iterations.jsonl"],
            "ended": {
                "status": 0,
                "signal": None,
                "reason": "exited",
                "started_at": 1_700_000_000.0,
                "seconds": 12.5,
                "detail": "",
                "nodes": [],
            },
            "env": {"NCCL_A": "1"},
        }
    ]
    assert (bundle.directory / "captures/run-1/stdout").read_text() == "one\ntwo"
    assert (bundle.directory / "captures/run-1/stderr").read_text() == "token=<redacted:token>\n"
    read = read_bundle(bundle.directory)
    assert (read.integrity, read.problems) == ("verified", ())
    assert len(read.files) == 4


def test_a_line_is_on_disk_as_soon_as_it_ends(tmp_path: Path) -> None:
    bundle = BundleWriter(tmp_path / "b")
    run = bundle.capture("run-1", "collective", ["x"])
    run.write_stdout("one\ntw")
    assert (tmp_path / "b/captures/run-1/stdout").read_text() == "one\n"
    run.write_stdout("o\n")
    assert (tmp_path / "b/captures/run-1/stdout").read_text() == "one\ntwo\n"


def test_nothing_is_ever_overwritten(tmp_path: Path) -> None:
    made = [BundleWriter.create(tmp_path, topic="x", clock=lambda: 0.0).directory.name for _ in range(3)]
    assert made == ["slowlink-19700101T000000Z-x", "slowlink-19700101T000000Z-x-2", "slowlink-19700101T000000Z-x-3"]
    with pytest.raises(SlowlinkError, match="never overwritten") as caught:
        BundleWriter(tmp_path / made[0])
    assert caught.value.slug == "bundle-exists"
    (tmp_path / "file").touch()
    with pytest.raises(SlowlinkError, match="is a file"):
        BundleWriter(tmp_path / "file")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make directories of others")
def test_a_directory_of_another_user_is_not_taken_and_an_own_one_is_closed(tmp_path: Path) -> None:
    theirs, mine, full = tmp_path / "theirs", tmp_path / "mine", tmp_path / "full"
    for directory in (theirs, mine, full):
        directory.mkdir(mode=0o755)
    os.chown(theirs, 65534, 65534)
    (full / "file").touch()
    with pytest.raises(SlowlinkError, match="belongs to another user"):
        BundleWriter(theirs)
    with pytest.raises(SlowlinkError, match="is not empty"):
        BundleWriter(full)
    with BundleWriter(mine):
        pass
    assert [path.stat().st_mode & 0o777 for path in (theirs, mine, full)] == [0o755, 0o700, 0o755]


def test_captures_of_one_name_are_told_apart_and_none_leaves_the_bundle(tmp_path: Path) -> None:
    with BundleWriter(tmp_path / "b") as bundle:
        for name in ("../../out", "run", "run", "/etc/x", "..", "a b\nc"):
            with bundle.capture(name, "command", []) as capture:
                capture.file("../../../up").write("x\n")
    files = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    assert files == [
        "b/SHA256SUMS",
        "b/captures/a_b_c/up",
        "b/captures/etc/x/up",
        "b/captures/out/up",
        "b/captures/run-2/up",
        "b/captures/run/up",
        "b/captures/unnamed/up",
        "b/manifest.json",
    ]


def test_what_ranks_write_themselves_is_taken_in_and_redacted(tmp_path: Path) -> None:
    with BundleWriter(tmp_path / "b") as bundle, bundle.capture("debug", "nccl-debug", []) as capture:
        capture.take_in(
            io.BytesIO("über\nTOKEN=aabc\xff\nlast".encode("latin-1").replace(b"\xfc", "ü".encode())), "n1.log"
        )
    text = (bundle.directory / "captures/debug/n1.log").read_text()
    assert text == "über\nTOKEN=<redacted:token>\nlast"


def test_a_capture_that_nobody_ends_says_whether_it_was_written_or_interrupted(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), BundleWriter(tmp_path / "b", clock=clock_from(5.0)) as bundle:  # noqa: PT012
        with bundle.capture("environment", "environment", []) as capture:
            capture.write_stdout("NCCL_A=1\n")
        with bundle.capture("run", "collective", ["x"]) as capture:
            capture.write_stdout("half a li")
            raise KeyboardInterrupt
    read = read_bundle(tmp_path / "b")
    assert read.manifest is not None
    ends = [capture.ended for capture in read.manifest.captures]
    assert [end.reason for end in ends if end] == ["written", "interrupted"]
    assert read.integrity == "verified"
    assert (tmp_path / "b/captures/run/stdout").read_text() == "half a li"


KILLED = textwrap.dedent(
    """
    import os, sys
    from pathlib import Path
    from slowlink.bundle import BundleWriter, disk
    from slowlink.model.plan import Ended
    left = int(sys.argv[2])
    def dying(call):
        def wrapped(*arguments, **named):
            global left
            left -= 1
            if left < 0:
                os._exit(9)
            return call(*arguments, **named)
        return wrapped
    os.fsync = dying(os.fsync)
    Path.replace = dying(Path.replace)
    disk.append = dying(disk.append)
    disk.open_new = dying(disk.open_new)
    with BundleWriter(Path(sys.argv[1])) as bundle:
        for number in (1, 2):
            with bundle.capture(f"run-{number}", "collective", ["x"]) as run:
                run.write_stdout("line 1\\nline 2\\n")
                run.write_stdout("line 3\\n")
                run.end(Ended(0, None, "exited", 1.0, 1.0))
    os._exit(0)
    """
)


def test_a_writer_that_is_killed_anywhere_leaves_a_readable_bundle(tmp_path: Path) -> None:
    seen = set()
    for steps in range(2, 40):
        target = tmp_path / str(steps)
        code = subprocess.run([sys.executable, "-c", KILLED, str(target), str(steps)], check=False).returncode
        read = read_bundle(target)
        assert read.manifest is not None, steps
        ends = [capture.ended is not None for capture in read.manifest.captures]
        for file in read.files:
            if file.path.endswith("stdout"):
                text = (target / file.path).read_text()
                assert "line 1\nline 2\nline 3\n".startswith(text)
                assert not text or text.endswith("\n")
        seen.add((tuple(ends), read.integrity))
        if code == 0:
            assert ends == [True, True]
            assert read.integrity == "verified"
            break
    else:
        pytest.fail("the writer never came to its end")
    assert ((False,), "unfinished") in seen
    assert ((True, False), "unfinished") in seen
    assert ((True, True), "unfinished") in seen


class FullDisk(io.BytesIO):
    """A file on a disk with room for some bytes more."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self.room = room

    def write(self, data: Any) -> int:
        if len(data) > self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.room -= len(data)
        return super().write(data)


def test_a_full_disk_is_said_plainly_and_the_manifest_before_it_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "open_new", lambda path: FullDisk(8))
    with pytest.raises(SlowlinkError) as caught, BundleWriter(tmp_path / "b") as bundle:  # noqa: PT012, SIM117
        with bundle.capture("run", "collective", ["x"]) as run:
            run.write_stdout("short\n")
            run.write_stdout("too long for it\n")
    assert caught.value.slug == "disk-full"
    assert "kept" in caught.value.hint
    read = read_bundle(tmp_path / "b")
    assert read.integrity == "unfinished"
    assert read.manifest is not None
    assert [capture.ended for capture in read.manifest.captures] == [None]
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_the_operating_system_s_own_word_for_a_full_disk_is_understood() -> None:
    with Path("/dev/full").open("wb", buffering=0) as file, pytest.raises(SlowlinkError) as caught:
        disk.append(file, "text", Path("x"))
    assert caught.value.slug == "disk-full"


def test_a_place_that_cannot_be_written_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SlowlinkError) as caught:
        BundleWriter(tmp_path / "file" / "b")
    assert caught.value.slug == "bundle-unwritable"


def test_names_are_replaced_alike_in_manifest_file_names_and_text(tmp_path: Path) -> None:
    redaction = Redaction(Anonymizer(["alpha7.example.org"]))
    command = ["slowlink", "run", "--nodes", "alpha[7-8]", "--token", "x"]
    with BundleWriter(tmp_path / "b", command=command, redaction=redaction) as bundle:
        bundle.set_nodes(["alpha7.example.org", "alpha8.example.org"])
        with bundle.capture("debug/alpha8", "nccl-debug", ["ssh", "alpha8"], node="alpha8") as capture:
            capture.file("nccl.alpha7.12.log").write("alpha8:1:1 [0] NCCL INFO alpha7.example.org\n")
            capture.end(Ended(None, 9, "silent", 1.0, 1.0, "alpha8 is silent", ("alpha8",)))
    everything = "".join(
        str(path.relative_to(tmp_path)) + path.read_text() for path in tmp_path.rglob("*") if path.is_file()
    )
    assert "alpha" not in everything
    assert "example" not in everything
    manifest = read_bundle(tmp_path / "b").manifest
    assert manifest is not None
    assert manifest.anonymized
    assert manifest.command == ("slowlink", "run", "--nodes", "host-[001-002]", "--token", "<redacted:token>")
    assert manifest.redacted == {"token": 1}
    assert manifest.nodes == ("host-001.domain-1", "host-002.domain-1")
    assert manifest.captures[0].files == ("captures/debug/host-002/nccl.host-001.12.log",)
    assert manifest.captures[0].ended is not None
    assert manifest.captures[0].ended.detail == "host-002 is silent"


lines = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=30)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(["stdout", "stderr", "a/b"]), lines), max_size=10))
def test_what_is_written_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[tuple[str, str]]
) -> None:
    target = tmp_path_factory.mktemp("bundles") / "b"
    with BundleWriter(target) as bundle, bundle.capture("run", "collective", ["x"]) as run:
        for name, text in pieces:
            run.file(name).write(text)
        run.end(WELL)
    read = read_bundle(target)
    assert (read.integrity, read.problems) == ("verified", ())
    for name in {name for name, _ in pieces}:
        written = "".join(text for other, text in pieces if other == name)
        with (target / "captures/run" / name).open(newline="") as file:
            assert file.read() == Redaction().text(written)


def test_names_of_files_are_redacted_and_files_stay_apart(tmp_path: Path) -> None:
    with BundleWriter(tmp_path / "b") as bundle, bundle.capture("run-1", "collective", ["a"]) as capture:
        for secret in ("Zq81bananaQ7", "Zq81cherryQ7"):
            for _ in range(2):
                capture.file(f"nccl-debug/password={secret}").write(f"{secret[4:10]}\n")
    files = {path.name: path.read_text() for path in (bundle.directory / "captures/run-1/nccl-debug").iterdir()}
    assert sorted(files.values()) == ["banana\nbanana\n", "cherry\ncherry\n"]
    assert [path for path in bundle.directory.rglob("*") if "Zq81" in path.name] == []
    assert "Zq81" not in (bundle.directory / "manifest.json").read_text()


def test_two_bundles_of_one_second_have_directories_of_their_own(tmp_path: Path) -> None:
    """Two runs at once, even where both find the name free: the first to make the directory has it."""
    first = BundleWriter.create(tmp_path, clock=lambda: 1_700_000_000.0)
    second = BundleWriter.create(tmp_path, clock=lambda: 1_700_000_000.0)
    assert second.directory.name == f"{first.directory.name}-2"


def test_all_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    with BundleWriter.create(tmp_path) as bundle, bundle.capture("run-1", "collective", ["true"]) as capture:
        capture.write_stdout("one\n")
        capture.file("probe/iterations.jsonl").write("{}\n")
        capture.end(WELL)
    below = [bundle.directory, *bundle.directory.rglob("*")]
    assert {path.stat().st_mode & 0o077 for path in below} == {0}


def test_a_disk_that_is_full_from_the_beginning_keeps_no_empty_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("slowlink.bundle.disk.os.fsync", full)
    with pytest.raises(SlowlinkError) as caught:
        BundleWriter.create(tmp_path)
    assert (caught.value.slug, caught.value.hint) == (
        "disk-full",
        "nothing of it stays; make room, or choose another disk",
    )
    assert list(tmp_path.iterdir()) == []
