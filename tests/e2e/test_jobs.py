"""One sick job and its healthy twin, from the log to the whole output, however the log is packed.

SLOWLINK_UPDATE_GOLDEN=1 writes the stored outputs again; read the diff before you commit it.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from click.testing import CliRunner
from msgspec.structs import replace

from slowlink.cli.analyze import command
from slowlink.simulate.job import Prefix, SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import VERSIONS, LoggedCluster
from slowlink.simulate.nccl_tests_output import LAYOUTS

GOLDEN = Path(__file__).parents[1] / "golden" / "e2e"
CLUSTER = LoggedCluster(hosts=("node06", "node07"), hcas=("mlx5_0", "mlx5_1"), env={"NCCL_ALGO": "Ring"})
HEALTHY = SimulatedJob(CLUSTER, plateau_gbs=47.6)
SICK = SimulatedJob(replace(CLUSTER, hosts_without_gdr=frozenset({"node07"})), plateau_gbs=9.42)
NICS = ("--nics", "2x200")


def analyze(*words: str, stdin: bytes | None = None) -> tuple[int, str]:
    """Exit status and standard output."""
    result = CliRunner().invoke(command, words, input=stdin, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    assert isinstance(result.return_value, int)
    return result.return_value, result.stdout


@pytest.fixture(autouse=True)
def _in_a_directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports name the paths as the user wrote them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.parametrize(("name", "job", "status"), [("healthy", HEALTHY, 0), ("gdr-off", SICK, 1)])
def test_whole_output(name: str, job: SimulatedJob, status: int) -> None:
    Path("job.log").write_text(job_log(job))
    done, text = analyze("job.log", *NICS, "--verbose")
    # How many rules there are is left out: a new rule must not change this file.
    text, rules = text.split("\nRules: ")
    assert " 0 broken" in rules
    stored = GOLDEN / f"{name}.txt"
    if os.environ.get("SLOWLINK_UPDATE_GOLDEN") == "1":
        stored.parent.mkdir(exist_ok=True)
        stored.write_text(text, encoding="utf-8")
    assert (done, text) == (status, stored.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "job", "status"), [("healthy", HEALTHY, 0), ("gdr-off", SICK, 1)])
def test_the_screen(name: str, job: SimulatedJob, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    Path("job.log").write_text(job_log(job))
    done, text = analyze("job.log", *NICS)
    stored = GOLDEN / f"{name}.screen.txt"
    if os.environ.get("SLOWLINK_UPDATE_GOLDEN") == "1":
        stored.write_text(text, encoding="utf-8")
    assert (done, text) == (status, stored.read_text(encoding="utf-8"))
    assert text.count("\n") <= 25


def test_what_done_well_looks_like() -> None:
    """The verdict, the node and both numbers, whatever the golden files become."""
    Path("job.log").write_text(job_log(SICK))
    Path("twin.log").write_text(job_log(HEALTHY))
    _, sick = analyze("job.log", *NICS, "--quiet")
    _, twin = analyze("twin.log", *NICS, "--quiet")
    assert "node07: GPUDirect RDMA is off" in sick
    assert "9.4 GB/s" in sick
    assert twin.startswith("HEALTHY: ")
    assert "47.5 GB/s, 97% of the ring bound of 2 x 200 Gb/s" in twin


def _tar(text: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("logs/job.log")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    return packed.getvalue()


def _zip(text: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("logs/job.log", text)
    return packed.getvalue()


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": lambda text: zstandard.ZstdCompressor().compress(text),
    "tar.gz": _tar,
    "zip": _zip,
    "tar.gz.gz": lambda text: gzip.compress(_tar(text)),
}


@pytest.mark.parametrize("suffix", sorted(PACKINGS))
def test_packed_in_any_way(suffix: str) -> None:
    text = job_log(SICK).encode()
    Path("job.log").write_bytes(text)
    Path(f"job.log.{suffix}").write_bytes(PACKINGS[suffix](text))
    plain = analyze("job.log", *NICS, "--format", "json")
    packed = analyze(f"job.log.{suffix}", *NICS, "--format", "json")
    assert _without_names(packed[1]) == _without_names(plain[1])
    assert packed[0] == plain[0] == 1


def test_from_standard_input_and_from_a_directory() -> None:
    text = job_log(SICK).encode()
    Path("logs").mkdir()
    Path("logs/job.log").write_bytes(text)
    plain = analyze("logs/job.log", *NICS, "--format", "json")
    for other in (analyze("-", *NICS, "--format", "json", stdin=text), analyze("logs", *NICS, "--format", "json")):
        assert (other[0], _without_names(other[1])) == (plain[0], _without_names(plain[1]))


def _without_names(value: object) -> object:
    """A report as JSON without what names its input."""
    if isinstance(value, str) and value.startswith("{"):
        return _without_names(json.loads(value))
    if isinstance(value, dict):
        return {
            key: _without_names(each)
            for key, each in value.items()
            if key not in ("source", "path", "subject", "bytes")
        }
    return [_without_names(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("prefix", ["mpirun --tag-output", "srun -l", "kubectl logs --timestamps --prefix"])
def test_behind_any_launchers_prefix(prefix: Prefix) -> None:
    said = []
    for job in (SICK, replace(SICK, prefix=prefix)):
        Path("job.log").write_text(job_log(job))
        said.append(analyze("job.log", *NICS)[1].partition("\nRead\n")[0])
    assert said[0] == said[1]


@pytest.mark.parametrize("layout", sorted(set(LAYOUTS) - {"1.0"}))
def test_every_layout_of_the_table(layout: str) -> None:
    for job, status, verdict in ((SICK, 1, "DEGRADED"), (HEALTHY, 0, "HEALTHY")):
        Path("job.log").write_text(job_log(replace(job, layout=layout)))
        done, text = analyze("job.log", *NICS)
        assert (done, text.split()[0]) == (status, verdict)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_generation_of_nccls_log(version: str) -> None:
    for job, status, cause in ((SICK, 1, "node07"), (HEALTHY, 0, "HEALTHY")):
        Path("job.log").write_text(job_log(replace(job, cluster=replace(job.cluster, version=version))))
        done, text = analyze("job.log", *NICS, "--quiet")
        assert (done, cause in text) == (status, True)


def test_several_reports_at_once() -> None:
    Path("job.log").write_text(job_log(SICK))
    names = [f"report.{suffix}" for suffix in ("html", "json", "md", "xml", "txt")]
    status, text = analyze("job.log", *NICS, *(word for name in names for word in ("-o", name)))
    assert status == 1
    assert "node07" in text
    for name in names:
        assert "node07" in Path(name).read_text(encoding="utf-8")


@pytest.mark.parametrize(("least", "status"), [("critical", 0), ("error", 1), ("warning", 1), ("never", 0)])
def test_the_least_severity_that_fails(least: str, status: int) -> None:
    Path("job.log").write_text(job_log(SICK))
    assert analyze("job.log", *NICS, "--fail-on", least)[0] == status
