"""Reading bundles back: what is damaged is said, what is left is used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.bundle import BundleWriter, read_bundle
from slowlink.bundle.manifest import manifest_from, manifest_text
from slowlink.bundle.show import bundle_text
from slowlink.errors import SlowlinkError
from slowlink.model.bundle import Manifest
from slowlink.model.plan import Capture, Ended, Plan, PlannedFile, Step


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    with BundleWriter(tmp_path / "b", command=["slowlink", "run"], clock=lambda: 0.0) as writer:
        writer.set_plan(Plan("ssh", ("mpirun", "x"), nodes=("n1", "n2", "n3")))
        with writer.capture("run-1", "collective", ["mpirun", "a b"], node="n1", env={"NCCL_DEBUG": "INFO"}) as run:
            run.write_stdout("hello\n")
            run.end(Ended(0, None, "exited", 60.0, 2.5))
        with writer.capture("run-2", "collective", ["mpirun"]) as run:
            run.end(Ended(None, 15, "silent", 90.0, 30.0, "nothing heard", ("n2", "n3")))
    return writer.directory


def test_files_that_differ_are_named(bundle: Path) -> None:
    (bundle / "captures/run-1/stdout").write_text("hullo\n")
    (bundle / "added").write_text("x")
    (bundle / "link").symlink_to("/etc/passwd")
    read = read_bundle(bundle)
    assert read.integrity == "differs"
    assert read.problems == (
        "link: a symbolic link, not read",
        "added: in no sum: nobody can tell whether it is as it was written",
        "captures/run-1/stdout: differs from its sum: it is not as it was written",
    )
    (bundle / "captures/run-1/stdout").unlink()
    assert "captures/run-1/stdout: missing" in read_bundle(bundle).problems


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"schema": 3}', "\x00\xff", "[" * 100_000])
def test_a_damaged_manifest_leaves_the_files(bundle: Path, damage: str) -> None:
    (bundle / "manifest.json").write_text(damage)
    read = read_bundle(bundle)
    assert read.manifest is None
    assert any(problem.startswith("manifest.json: ") for problem in read.problems)
    assert "captures/run-1/stdout" in [file.path for file in read.files]
    assert "manifest.json: differs from its sum: it is not as it was written" in bundle_text(read)


def test_a_missing_manifest_leaves_the_files(bundle: Path) -> None:
    (bundle / "manifest.json").unlink()
    (bundle / "SHA256SUMS").unlink()
    read = read_bundle(bundle)
    assert (read.integrity, read.problems) == ("unfinished", ("manifest.json: missing",))
    assert [file.path for file in read.files] == ["captures/run-1/stdout"]


def test_sums_that_were_taken_away_are_no_run_that_is_still_at_it(bundle: Path) -> None:
    (bundle / "SHA256SUMS").unlink()
    read = read_bundle(bundle)
    assert (read.integrity, read.problems) == (
        "differs",
        ("SHA256SUMS: missing: nobody can tell whether the files are as they were written",),
    )


def test_a_newer_bundle_says_what_to_do(bundle: Path) -> None:
    (bundle / "manifest.json").write_text('{"schema": "slowlink.bundle/7", "captures": []}')
    with pytest.raises(SlowlinkError, match="bundle/7") as caught:
        read_bundle(bundle)
    assert caught.value.slug == "bundle-newer"
    assert "update" in caught.value.hint


def test_other_directories_are_no_bundles(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "job.log").write_text("hello")
    with pytest.raises(SlowlinkError, match="no bundle") as caught:
        read_bundle(tmp_path / "x")
    assert caught.value.slug == "bundle-not-found"
    assert "slowlink analyze" in caught.value.hint


def test_show_tells_what_was_run_where_and_how_it_ended(bundle: Path) -> None:
    (bundle / "captures/run-1/stdout").write_text("hullo\n")
    text = bundle_text(read_bundle(bundle)).replace(str(bundle), "BUNDLE")
    size = sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
    assert f"  files      2, {size / 1024:.2f} KiB\n" in text
    lines = [line for line in text.splitlines() if not line.startswith("  files ")]
    assert lines == [
        "BUNDLE",
        "  written    1970-01-01T00:00:00Z by slowlink 0.1.0",
        "  command    slowlink run",
        "  nodes      n[1-3] (3)",
        "  launcher   ssh",
        "  integrity  NOT as it was written",
        "             captures/run-1/stdout: differs from its sum: it is not as it was written",
        "",
        "run-1 (collective) on n1: exit status 0 after 2.5 s, begun 1970-01-01T00:01:00Z",
        "  $ mpirun 'a b'",
        "  NCCL_DEBUG=INFO",
        "  captures/run-1/stdout  6 B",
        "",
        "run-2 (collective): silent (n[2-3]) after 30.0 s, begun 1970-01-01T00:01:30Z: nothing heard",
        "  $ mpirun",
    ]


def test_show_sends_nothing_to_the_terminal_that_steers_it(bundle: Path) -> None:
    manifest = json.loads((bundle / "manifest.json").read_text())
    manifest["nodes"] = ["\x1b[2Jn1", "n["]
    manifest["captures"][0]["argv"] = ["\x1b]0;x\x07"]
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    assert all(line.isprintable() for line in bundle_text(read_bundle(bundle)).splitlines())


words = st.text(max_size=8)
many = st.lists(words, max_size=3).map(tuple)
env = st.dictionaries(words, words, max_size=3)
seconds = st.floats(0, 1e9)
steps = st.lists(st.builds(Step, many, st.none() | seconds), max_size=2).map(tuple)
manifests = st.builds(
    Manifest,
    slowlink=words,
    created=words,
    command=many,
    nodes=many,
    finished=st.none() | words,
    anonymized=st.booleans(),
    redacted=st.dictionaries(words, st.integers(0, 9), max_size=2),
    plan=st.none()
    | st.builds(
        Plan,
        words,
        many,
        env=env,
        files=st.lists(st.builds(PlannedFile, words, words, st.integers(0, 0o777)), max_size=2).map(tuple),
        stdin=st.none() | words,
        timeout_s=st.none() | seconds,
        prepare=steps,
        cleanup=steps,
        nodes=many,
        note=words,
    ),
    captures=st.lists(
        st.builds(
            Capture,
            words,
            words,
            many,
            st.none() | words,
            many,
            st.none()
            | st.builds(
                Ended,
                st.none() | st.integers(0, 255),
                st.none() | st.integers(1, 64),
                words,
                seconds,
                seconds,
                words,
                many,
            ),
            env,
        ),
        max_size=3,
    ).map(tuple),
)


@settings(deadline=None, max_examples=50)
@given(manifests)
def test_a_manifest_is_read_as_it_was_written(manifest: Manifest) -> None:
    assert manifest_from(json.loads(manifest_text(manifest))) == manifest


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["captures", "name", "ended", "reason", "argv", "plan", "launcher", "files", "seconds", "env"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=60)
@given(st.dictionaries(st.sampled_from(["captures", "plan", "nodes", "redacted", "command"]), values))
def test_odd_values_in_a_manifest_are_passed_over(odd: dict[str, object]) -> None:
    assert isinstance(manifest_from({**odd, "schema": "slowlink.bundle/1"}), Manifest)


def test_many_problems_are_cut(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"schema": "slowlink.bundle/1"}')
    (tmp_path / "SHA256SUMS").write_text("".join(f"{n:064x}  file{n}\n" for n in range(500)))
    shown = bundle_text(read_bundle(tmp_path)).split("\n")
    assert len(shown) < 40
    assert shown[-2].strip() == "and 481 more"
