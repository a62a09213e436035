"""``slowlink bundle`` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from slowlink.bundle import BundleWriter
from slowlink.cli.bundle import command
from slowlink.errors import SlowlinkError
from slowlink.model.plan import Ended


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with BundleWriter(tmp_path / "b") as writer, writer.capture("run-1", "collective", ["mpirun"], node="n1") as run:
        run.write_stdout("hello\n")
        run.end(Ended(0, None, "exited", 1.0, 1.0))
    return writer.directory


def call(*words: str) -> tuple[int | None, str]:
    result = CliRunner().invoke(command, list(words), standalone_mode=False)
    if isinstance(result.exception, SlowlinkError):
        raise result.exception
    return result.return_value, result.output


def test_pack_show_unpack(bundle: Path) -> None:
    assert call("pack", "b") == (None, "b.tar.zst\n")
    status, text = call("show", "b.tar.zst")
    assert status == 0
    assert "run-1 (collective) on n1: exit status 0 after 1.0 s" in text
    assert call("unpack", "b.tar.zst", "-C", "there") == (0, "there/b\n")
    assert (bundle.parent / "there/b/captures/run-1/stdout").read_text() == "hello\n"
    with pytest.raises(SlowlinkError, match="there already"):
        call("pack", "b")


def test_show_as_json_and_the_status_of_a_bundle_that_was_changed(bundle: Path) -> None:
    (bundle / "captures/run-1/stdout").write_text("hullo\n")
    status, text = call("show", "b", "--format", "json")
    found = json.loads(text)
    assert status == 1
    assert found["integrity"] == "differs"
    assert found["problems"] == ["captures/run-1/stdout: differs from its sum: it is not as it was written"]
    assert found["manifest"]["captures"][0]["ended"]["status"] == 0


@pytest.mark.parametrize(
    ("top", "shown"),
    [("-rf", "rf"), ("--help", "help"), ("--", "bundle"), ("$(id)", "'$(id)'"), ("a b", "'a b'"), ("a-b", "a-b")],
)
def test_a_directory_that_somebody_named_is_shown_as_one_word_that_is_no_option(
    bundle: Path, top: str, shown: str
) -> None:
    assert call("pack", "b", "-o", "x.tar.gz") == (None, "x.tar.gz\n")
    bundle.rename(bundle.parent / top)
    call("pack", f"./{top}", "-o", "y.tar.gz")
    (bundle.parent / top).rename(bundle)
    assert call("unpack", "y.tar.gz") == (0, f"{shown}\n")
