"""``slowlink accept``: wrong words, and whether a record and its evidence are as they were."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inline_snapshot import snapshot

from handed_over import nccl_tests, perftest
from slowlink.cli.main import cli

NODES = ("--nodes", "gpu[01-02]", "--system", "hgx_h100")


def slowlink(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["accept", *arguments], standalone_mode=False)


@pytest.fixture(autouse=True)
def evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What is there of two nodes: one table, one test of a link."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "handover"
    folder.mkdir()
    (folder / "all.log").write_text(nccl_tests(["gpu01", "gpu02"], 470.0))
    (folder / "gpu01-mlx5_0.log").write_text(perftest("gpu01", "mlx5_0", 392.4))
    return folder


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        ((), "usage"),
        (("handover",), "usage"),
        (("handover", "--nodes", "gpu[01-"), "bad-node-set"),
        (("handover", "--nodes", "gpu[01-02]"), "contract-incomplete"),
        (("handover", "--nodes", "gpu01", "--nics", "8x400"), "contract-incomplete"),
        (("handover", "--nodes", "gpu01", "--system", "hgx_h1000"), "unknown-system"),
        (("handover", *NODES, "--hcas", "mlx5_[0-3]"), "usage"),
        (("handover", *NODES, "--skip", "everything"), "unknown-check"),
        (("handover", *NODES, "--skip", "state"), "usage"),
        (("handover", *NODES, "--skip", "port", "--require", "port"), "usage"),
        (("handover", *NODES, "--require", "policy"), "usage"),
        (("nowhere", *NODES), "input-not-found"),
        (("-", *NODES), "evidence-piped"),
        (("/dev/null", *NODES), "evidence-piped"),
        (("handover", *NODES, "-o", "handover/acceptance.json"), "output-is-input"),
        (("handover", *NODES, "-o", "handover"), "output-unwritable"),
        (("--verify", "nothing.json"), "input-not-found"),
        (("--verify", "handover/all.log"), "acceptance-unknown"),
        (("--verify", "acceptance.html"), "usage"),
        (("--verify", "acceptance.json", *NODES), "usage"),
    ],
)
def test_wrong_words_are_refused_and_nothing_is_written(arguments: tuple[str, ...], slug: str, tmp_path: Path) -> None:
    if "-o" in arguments and arguments[-1] == "handover":
        arguments = (*arguments[:-1], "folder.json")
        (tmp_path / "folder.json").mkdir()
    before = sorted(tmp_path.rglob("*"))
    failed = slowlink(*arguments).exception
    assert getattr(failed, "slug", failed) == slug
    assert sorted(tmp_path.rglob("*")) == before


def test_a_name_of_no_form_is_refused() -> None:
    assert "the suffix must be one of .json, .csv, .html, .htm" in str(
        slowlink("handover", *NODES, "-o", "a.txt").exception
    )


@pytest.fixture
def written(tmp_path: Path) -> tuple[str, ...]:
    files = ("acceptance.json", "acceptance.html", "acceptance.csv")
    done = slowlink("handover", *NODES, *(word for name in files for word in ("-o", name)))
    assert done.return_value == 3
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in files] == [0o600] * 3
    return files


def test_what_is_unchanged_is_told(written: tuple[str, ...]) -> None:
    done = slowlink("--verify", written[0], "handover", *written[1:])
    assert done.return_value == 0
    assert done.stdout.partition("seal")[0] == snapshot("""\
INCOMPLETE  2 of 2 nodes are not wholly measured: gpu[01-02]  (as the record says)
  unchanged  record acceptance.json
  unchanged  page acceptance.html
  unchanged  table acceptance.csv
  unchanged  evidence, 2 of 2 files
""")
    alone = slowlink("--verify", written[0])
    assert alone.return_value == 3
    assert "none was given: whether it is as it was is not known" in alone.stdout


def test_what_was_changed_is_told(written: tuple[str, ...], evidence: Path, tmp_path: Path) -> None:
    page, table = tmp_path / written[1], tmp_path / written[2]
    page.write_text(page.read_text().replace("NOT MEASURED", "PASS", 1))
    table.write_text("seal\n")
    (evidence / "all.log").open("a").write("470\n")
    (evidence / "gpu01-mlx5_0.log").unlink()
    (evidence / "new.log").write_text("")
    done = slowlink("--verify", written[0], "handover", *written[1:])
    assert done.return_value == 1
    assert done.stdout.partition("seal  ")[0] == snapshot("""\
INCOMPLETE  2 of 2 nodes are not wholly measured: gpu[01-02]  (as the record says)
  unchanged  record acceptance.json
  changed    page acceptance.html: it does not show what the record has
  changed    table acceptance.csv: it is of another record: it does not have this seal
  changed    evidence handover/all.log: is not as it was
  changed    evidence handover/gpu01-mlx5_0.log: is missing
  changed    evidence handover/new.log: was added
""")


def test_a_record_that_was_changed_vouches_for_nothing(written: tuple[str, ...], tmp_path: Path) -> None:
    record = tmp_path / written[0]
    record.write_text(record.read_text().replace('"incomplete"', '"accepted"'))
    done = slowlink("--verify", written[0], "handover", *written[1:])
    assert done.return_value == 1
    assert "changed    record acceptance.json: its content has the seal" in done.stdout
    assert "open       page acceptance.html: the record was changed" in done.stdout


def test_two_inputs_are_told_apart(tmp_path: Path, evidence: Path) -> None:
    other = shutil.copytree(evidence, tmp_path / "other" / "handover")
    (other / "all.log").write_text(nccl_tests(["gpu01", "gpu02"], 471.0))
    assert slowlink("handover", "other/handover", *NODES, "-o", "two.json").return_value == 3
    assert slowlink("--verify", "two.json", "handover", "other/handover").return_value == 0
    assert slowlink("--verify", "two.json", "other/handover").return_value == 1


def test_two_inputs_that_are_named_alike_are_each_looked_at(tmp_path: Path, evidence: Path) -> None:
    there = str(evidence)
    below = tmp_path / there.lstrip("/")
    shutil.copytree(evidence, below)
    assert slowlink(there, there.lstrip("/"), *NODES, "-o", "two.json").return_value == 3
    assert slowlink("--verify", "two.json", there, there.lstrip("/")).return_value == 0
    with (evidence / "all.log").open("a") as file:
        file.write("470\n")
    assert slowlink("--verify", "two.json", there, there.lstrip("/")).return_value == 1


def test_files_whose_names_are_written_out_are_unchanged(evidence: Path) -> None:
    for name in ("a\x1b[2J.log", "a\\x1b[2J.log", "b\u202e\n.log"):
        (evidence / name).write_text(f"{name!r}\n")
    slowlink("handover", *NODES, "-o", "names.json")
    assert slowlink("--verify", "names.json", "handover").return_value == 0
    (evidence / "a\x1b[2J.log").write_text("other\n")
    assert slowlink("--verify", "names.json", "handover").return_value == 1


def test_the_help_says_what_it_means() -> None:
    assert "it shows that a record is unchanged, not who made it" in " ".join(slowlink("--help").stdout.split())


def test_a_record_among_the_evidence_is_none_of_it(written: tuple[str, ...], evidence: Path, tmp_path: Path) -> None:
    """It names every rule, and a rule is named after a fault."""
    shutil.copy(tmp_path / written[0], evidence / "earlier.json")
    found = slowlink("handover", *NODES)
    assert found.return_value == 3
    assert found.stdout.splitlines()[0] == "INCOMPLETE  2 of 2 nodes are not wholly measured: gpu[01-02]"
