"""Files of ranks on their own nodes: one shell makes the directory, another sends what lies there and removes it."""

from __future__ import annotations

import gzip
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.bundle import BundleWriter, read_bundle
from slowlink.launch.fanout.ways import Here
from slowlink.model.plan import Node
from slowlink.workflows.rank_files import framed, here
from slowlink.workflows.rank_files.framed import Received, make_script, received, send_script
from slowlink.workflows.rank_files.here import FilesHere
from slowlink.workflows.rank_files.on_nodes import FilesOnNodes, in_words


def sh(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-s"], input=script, text=True, capture_output=True, check=False, timeout=30)


@given(text=st.text(), data=st.binary(max_size=400))
def test_whatever_a_node_prints_is_taken_apart(text: str, data: bytes) -> None:
    files, _ = received(text, "abc")
    assert files == []
    for cut in (f"#slowlink-file abc 3 nccl-debug/x\n{text}", f"#slowlink-file abc {data!r}\n", text + "\n#slowlink-"):
        assert all(not file.is_whole for file in received(cut, "abc")[0])


@given(st.dictionaries(st.from_regex(r"[A-Za-z0-9_][\w.+%-]{0,30}", fullmatch=True).filter(str.isascii),
                       st.binary(max_size=3000), max_size=4))  # fmt: skip
def test_every_byte_comes_home(tmp_path_factory: pytest.TempPathFactory, contents: dict[str, bytes]) -> None:
    place = tmp_path_factory.mktemp("node") / "of the run's"
    assert sh(make_script(str(place))).returncode == 0
    for name, data in contents.items():
        (place / "nccl-debug" / name).write_bytes(data)
    (place / "own.json").write_bytes(b"{}")
    (place / "unasked").write_bytes(b"1")
    files, is_all = received(sh(send_script(str(place), ("own.json", "absent"), "abc")).stdout, "abc")
    assert is_all
    assert {file.name: file.data for file in files} == {
        "own.json": b"{}",
        **{f"nccl-debug/{name}": data for name, data in contents.items()},
    }
    assert all(file.is_whole for file in files)
    assert not place.exists()


def test_of_a_long_file_its_begin_and_its_end_are_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framed, "MOST_BYTES", 100)
    monkeypatch.setattr(framed, "LAST_BYTES", 80)
    place = tmp_path / "place"
    sh(make_script(str(place)))
    (place / "nccl-debug" / "log").write_text("begin of the first line\n" + "x" * 5000 + "\nits end\n")
    files, is_all = received(sh(send_script(str(place), (), "abc")).stdout, "abc")
    sent = b"begin of the first l\n[... 4933 bytes are left out here ...]\n" + b"x" * 71 + b"\nits end\n"
    assert files == [Received("nccl-debug/log", 5033, sent, is_whole=False)]
    assert is_all


def test_a_connection_that_breaks_costs_what_comes_behind(tmp_path: Path) -> None:
    place = tmp_path / "place"
    sh(make_script(str(place)))
    for name in ("a", "b"):
        (place / "nccl-debug" / name).write_text(f"log of {name}\n")
    whole = sh(send_script(str(place), (), "abc")).stdout
    files, is_all = received(whole[: whole.index("nccl-debug/b") + 14], "abc")
    assert [(file.name, file.data, file.is_whole) for file in files] == [
        ("nccl-debug/a", b"log of a\n", True),
        ("nccl-debug/b", b"", False),
    ]
    assert not is_all


def test_a_directory_that_somebody_else_has_put_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    place = tmp_path / "place"
    place.symlink_to(tmp_path / "theirs")
    refused = sh(make_script(str(place)))
    assert refused.returncode == 1
    assert "File exists" in refused.stderr
    assert list((tmp_path / "theirs").iterdir()) == []


def test_links_are_not_followed(tmp_path: Path) -> None:
    place = tmp_path / "place"
    sh(make_script(str(place)))
    (tmp_path / "secret").write_text("of the node")
    (place / "nccl-debug" / "log").symlink_to(tmp_path / "secret")
    assert received(sh(send_script(str(place), (), "abc")).stdout, "abc") == ([], True)
    assert (tmp_path / "secret").exists()


def test_a_bundle_gets_the_logs_of_each_node_and_what_rank_0_wrote(tmp_path: Path) -> None:
    place = tmp_path / "place"
    files = FilesOnNodes([Node("node01")], Here(), str(place), ("it.jsonl.gz",))
    assert files.make() == {}
    (place / "nccl-debug" / "node01.7.log").write_text("node01:7:7 [0] NCCL INFO token=hf_" + "a1B2" * 9 + "\n")
    (place / "it.jsonl.gz").write_bytes(gzip.compress(b'{"rank": 0}\n'))
    with BundleWriter(tmp_path / "bundle") as bundle, bundle.capture("run-1", "collective", ()) as capture:
        assert files.take(capture, bundle, "1") == {}
    captures = tmp_path / "bundle" / "captures"
    assert (captures / "run-1" / "it.jsonl").read_text() == '{"rank": 0}\n'
    log = (captures / "nccl-debug-1" / "node01" / "node01.7.log").read_text()
    assert log.startswith("node01:7:7 [0] NCCL INFO token=")
    assert "a1B2" not in log
    assert not place.exists()


def test_what_did_not_come_is_said_once_for_all_nodes_with_the_same_trouble(tmp_path: Path) -> None:
    gone = FilesOnNodes([Node("n1"), Node("n2")], Here(), str(tmp_path / "no" / "place"), ())
    assert in_words(gone.make()) == [
        f"n[1-2]: mkdir: cannot create directory ‘{tmp_path}/no/place’: No such file or directory"
    ]
    with BundleWriter(tmp_path / "bundle") as bundle, bundle.capture("run-1", "collective", ()) as capture:
        assert sorted(gone.take(capture, bundle, "1")) == ["n1", "n2"]  # in the order in which they answer
    gone.remove()


def test_what_ranks_make_here_beside_files_is_named_and_not_opened(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "shadow").write_text("root:x\n")
    files = FilesHere(tmp_path / "place", ("own.json", "topology.xml"))
    files.make()
    logs = tmp_path / "place" / "nccl-debug"
    (logs / "sub").mkdir()
    (logs / "sub" / "n1.log").write_text("below\n")
    (logs / "n0.log").write_text("TOKEN=abc\n")
    (logs / "app.log").symlink_to(foreign / "shadow")
    (logs / "all").symlink_to(foreign)
    os.mkfifo(logs / "pipe")
    (tmp_path / "place" / "own.json").write_text("{}")
    (tmp_path / "place" / "topology.xml").symlink_to(foreign / "shadow")
    with BundleWriter(tmp_path / "b") as bundle, bundle.capture("run-1", "collective", []) as capture:
        assert files.take(capture, bundle, "1") == {}
    assert {
        str(each.relative_to(tmp_path / "b")): each.read_text() for each in _files(tmp_path / "b" / "captures")
    } == {
        "captures/nccl-debug-1/n0.log": "TOKEN=<redacted:token>\n",
        "captures/nccl-debug-1/sub/n1.log": "below\n",
        "captures/run-1/own.json": "{}",
    }
    assert _detail(tmp_path / "b") == (
        "left out: all: a symbolic link, not read; app.log: a symbolic link, not read; pipe: a named pipe, not read"
    )
    assert not (tmp_path / "place").exists()
    assert (foreign / "shadow").exists()


def test_of_a_long_log_here_its_begin_and_its_end_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hole of any length costs whoever makes it nothing, and would fill the disk of the bundle."""
    monkeypatch.setattr(here, "MOST_OUTPUT_BYTES", 1 << 20)
    files = FilesHere(tmp_path / "place", ("own.json", "packed.gz"))
    files.make()
    with (tmp_path / "place" / "nccl-debug" / "n0.log").open("wb") as log:
        log.write(b"begin of the first line\n")
        log.truncate(100 << 30)
        log.seek(0, 2)
        log.write(b"\nits end\n")
    (tmp_path / "place" / "own.json").write_bytes(b"x" * ((1 << 20) + 1))
    (tmp_path / "place" / "packed.gz").write_bytes(gzip.compress(b"line of sixteen.\n" * (1 << 18)))
    with BundleWriter(tmp_path / "b") as bundle, bundle.capture("run-1", "collective", []) as capture:
        assert files.take(capture, bundle, "1") == {}
    text = (tmp_path / "b" / "captures" / "nccl-debug-1" / "n0.log").read_text()
    assert len(text) == framed.MOST_BYTES + len(framed.gap((100 << 30) + 9 - framed.MOST_BYTES))
    assert text.startswith("begin of the first line\n")
    assert text.endswith("\0\nits end\n")
    assert framed.gap((100 << 30) + 9 - framed.MOST_BYTES).decode() in text
    assert [each.name for each in _files(tmp_path / "b" / "captures" / "run-1")] == ["packed"]
    assert (tmp_path / "b" / "captures" / "run-1" / "packed").stat().st_size == 1 << 20
    assert _detail(tmp_path / "b") == (
        "left out: own.json: more than 1 MiB; packed.gz: more than 1 MiB; "
        "n0.log: 107361599497 bytes between its begin and its end"
    )


@pytest.mark.parametrize("is_on_a_node", [False, True])
def test_a_link_in_the_place_of_the_directory_leads_nowhere(tmp_path: Path, is_on_a_node: bool) -> None:
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "shadow").write_text("root:x\n")
    place = tmp_path / "place"
    files = FilesHere(place, ())
    files.make()
    (place / "nccl-debug").rmdir()
    (place / "nccl-debug").symlink_to(tmp_path / "foreign")
    if is_on_a_node:
        assert received(sh(send_script(str(place), (), "abc")).stdout, "abc") == ([], True)
        return
    with BundleWriter(tmp_path / "b") as bundle:
        files.take(None, bundle, "1")
    assert list(_files(tmp_path / "b" / "captures")) == []
    assert _detail(tmp_path / "b") == "left out: nccl-debug: not the directory that was made"


def _files(top: Path) -> list[Path]:
    return [each for each in sorted(top.rglob("*")) if each.is_file()]


def _detail(bundle: Path) -> str:
    manifest = read_bundle(bundle).manifest
    assert manifest is not None
    return next(each.ended.detail for each in manifest.captures if each.kind == "nccl-debug" and each.ended)
