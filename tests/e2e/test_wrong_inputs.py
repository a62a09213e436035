"""What is no log, or a broken one: clear words, the promised exit code, never a traceback and never a number."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import random
import tarfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from click import BadParameter
from click.testing import CliRunner, Result

from slowlink.cli.analyze import command
from slowlink.errors import SlowlinkError
from slowlink.simulate.job import SimulatedJob, job_log

LOG = job_log(SimulatedJob(plateau_gbs=186.0))
PNG = b"\x89PNG\r\n\x1a\n" + bytes(random.Random(1).randrange(256) for _ in range(4000))
PROSE = "The all-reduce of the NCCL team reached 400 GB/s, they said, on node 7 with 8 GPUs. " * 12_000
TRUNCATED = gzip.compress(LOG.encode())[:-40]


def analyze(*words: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(command, words, input=stdin, standalone_mode=False)


def answer(*words: str, stdin: bytes | None = None) -> tuple[int, dict[str, object]]:
    """Exit status and the report."""
    result = analyze(*words, "--format", "json", stdin=stdin)
    if result.exception is not None:
        raise result.exception
    return int(result.return_value), json.loads(result.stdout)


@pytest.fixture(autouse=True)
def _in_a_directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("content", "headline"),
    [
        (b"", "inconclusive: the input is empty"),
        (b"\n\n\n", "inconclusive: nothing recognised in 3 lines"),
        (b"\0" * 5000, "inconclusive: {}: holds 5,000 NUL bytes and nothing else; what was to be there is missing"),
        (random.Random(1).randbytes(5000), "inconclusive: {}: binary data, not read"),
        (PNG, "inconclusive: {}: an image (PNG), not a log"),
        (pickle.dumps({"busbw": 400.0}), "inconclusive: {}: a pickle, but no flight recorder"),
        (b'{"name": "package", "version": "1.0.0"}\n', "inconclusive: nothing recognised in 1 line"),
        (PROSE[:200_000].encode(), "inconclusive: nothing recognised in 1 line"),
        (
            PROSE.encode(),
            f"inconclusive: {{}}: holds a line of more than 256 KiB; {len(PROSE) - (256 << 10):,} bytes at its end were not"
            " read; what was read shows nothing wrong",
        ),
        (PROSE.replace(". ", ".\n").encode(), "inconclusive: nothing recognised in 12,000 lines"),
        (b"caf\xe9 \xff\xfe \xc3\x28\n" * 40, "inconclusive: nothing recognised in 40 lines"),
    ],
    ids=[
        "empty",
        "blank",
        "nul",
        "packed",
        "png",
        "pickle",
        "json",
        "one long line",
        "too long a line",
        "prose",
        "latin-1",
    ],
)
def test_nothing_known(content: bytes, headline: str) -> None:
    Path("x").write_bytes(content)
    for name, (status, report) in (("x", answer("x")), ("-", answer("-", stdin=content))):
        assert (status, report["verdict"], report["headline"]) == (3, "inconclusive", headline.format(name))
        assert report["sweeps"] == []


def test_a_directory_without_logs() -> None:
    Path("empty").mkdir()
    assert answer("empty")[0] == 3
    Path("empty/picture.png").write_bytes(PNG)
    status, report = answer("empty")
    assert status == 3
    assert [entry["problem"] for entry in report["inputs"]] == ["an image (PNG), not a log"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda text: text.replace("\n", "\r\n"), "line ends of Windows"),
        (lambda text: "\ufeff" + text, "byte order mark"),
        (lambda text: text.replace("NCCL INFO", "NCCL\0 INFO"), "NUL inside lines"),
        (lambda text: text.replace("\n", "\x1b[0m\n"), "colours"),
        (lambda text: "\n".join(" > " + line for line in text.split("\n")), "quoted"),
        (lambda text: PROSE.replace(". ", ".\n") + text, "far below prose"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_surrounds_the_table_changes_no_number(change: Callable[[str], str], what: str) -> None:
    Path("x").write_text(LOG, encoding="utf-8")
    Path("y").write_text(change(LOG), encoding="utf-8")
    plain, changed = answer("x")[1], answer("y")[1]
    assert _points(changed) == _points(plain), what
    assert changed["verdict"] == plain["verdict"] == "healthy"


def _points(report: dict[str, object]) -> list[tuple[object, object]]:
    sweeps = report["sweeps"]
    assert isinstance(sweeps, list)
    return [(point["size_bytes"], point["busbw_gbs"]) for sweep in sweeps for point in sweep["points"]]


def test_invalid_utf_8_inside_a_log() -> None:
    Path("x").write_text(LOG)
    Path("y").write_bytes(b"\xfe\xc3\n" + LOG.encode().replace(b"cudaDriverVersion", b"cuda\xc3\x28Driver"))
    assert _points(answer("y")[1]) == _points(answer("x")[1])


def test_a_truncated_gzip_gives_what_it_holds_and_says_so() -> None:
    Path("job.log.gz").write_bytes(TRUNCATED)
    _, report = answer("job.log.gz")
    read = _points(report)
    Path("x").write_text(LOG)
    assert read
    assert read == _points(answer("x")[1])[: len(read)]
    assert any(entry["problem"] for entry in report["inputs"])  # type: ignore[attr-defined]


def test_a_tar_that_climbs_out_writes_nothing() -> None:
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("../../climbed.log")
        member.size = len(LOG)
        archive.addfile(member, BytesIO(LOG.encode()))
    Path("x.tar").write_bytes(packed.getvalue())
    assert _points(answer("x.tar")[1])
    assert not Path("../../climbed.log").exists()


def test_the_same_log_by_two_names_is_read_twice_and_judged_once() -> None:
    Path("x").write_text(job_log(SimulatedJob(plateau_gbs=9.4)))
    status, report = answer("x", "x", "--nics", "2x200")
    assert status == 1
    diagnoses = report["diagnoses"]
    assert isinstance(diagnoses, list)
    assert [d["cause"] for d in diagnoses] == ["busbw-below-expected"]


@pytest.mark.parametrize(
    ("words", "slug", "said"),
    [
        (("absent.log",), "input-not-found", "absent.log"),
        (("x", "absent/"), "input-not-found", "absent/"),
        (("x", "--system", "hgx_h10"), "unknown-system", "hgx_h10"),
        (("x", "--gpu", "h1000"), "unknown-gpu", "h1000"),
        (("x", "--nics", "8*400"), "bad-nics", "8*400"),
        (("x", "--nics", "0x400"), "bad-nics", "0x400"),
        (("x", "--config", "absent.toml"), "config-unreadable", "absent.toml"),
        (("x", "-o", "absent/r.html"), "output-unwritable", "absent/r.html"),
    ],
)
def test_slips_are_the_users_error(words: tuple[str, ...], slug: str, said: str) -> None:
    Path("x").write_text(LOG)
    result = analyze(*words)
    assert isinstance(result.exception, SlowlinkError)
    assert result.exception.slug == slug
    assert said in result.exception.message
    assert result.exception.hint


@pytest.mark.parametrize("name", ["report.pdf", "report", "report.html.gz"])
def test_a_report_of_no_known_kind(name: str) -> None:
    Path("x").write_text(LOG)
    result = analyze("x", "-o", name)
    assert isinstance(result.exception, BadParameter)
    assert ".html" in result.exception.message
    assert not Path(name).exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read() -> None:
    Path("x").write_text(LOG)
    Path("x").chmod(0)
    result = analyze("x")
    assert isinstance(result.exception, SlowlinkError)
    assert result.exception.slug == "input-not-readable"


def test_a_link_that_leads_nowhere() -> None:
    Path("logs").mkdir()
    Path("logs/x").symlink_to("absent")
    Path("logs/y").write_text(LOG)
    _, report = answer("logs")
    assert _points(report)
    assert [entry["problem"] for entry in report["inputs"]] == ["a symbolic link, not read", None]  # type: ignore[attr-defined]


def test_json_that_another_rank_breaks_off_comes_to_an_end() -> None:
    ranks = "".join(f"{n % 2}: rank {n % 2} is up\n" for n in range(6))
    Path("x").write_text(ranks + '0: {\n0:  "step": 1,\n1: still here\n0: and on\n' * 3)
    assert answer("x")[0] == 3
