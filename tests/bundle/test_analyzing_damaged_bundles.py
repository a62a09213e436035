"""A bundle that is not as it was written, or that has no end, is no proof of health; what is wrong in it stays."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from slowlink import analyze
from slowlink.bundle import BundleWriter, pack, read_bundle
from slowlink.model.plan import Ended
from slowlink.model.report import Report
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

JOB = SimulatedJob(cluster=LoggedCluster(hosts=("alpha-3", "alpha-4"), gpus=8), plateau_gbs=190.0, command=False)
LOG = job_log(JOB)
STDOUT, MANIFEST, SUMS = "captures/run-1/stdout", "manifest.json", "SHA256SUMS"
DIFFERS = "differs from its sum: it is not as it was written"
ADDED = "in no sum: nobody can tell whether it is as it was written"
NO_SUMS = "missing: nobody can tell whether the files are as they were written"


def write(writer: BundleWriter, log: str = LOG) -> None:
    writer.set_nodes(JOB.cluster.hosts)
    with writer.capture("run-1", "collective", ["mpirun", "-np", "16", "all_reduce_perf"]) as run:
        run.write_stdout(log)
        run.end(Ended(0, None, "exited", 1.0, 1.0))


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    with BundleWriter(tmp_path / "b", clock=lambda: 0.0) as writer:
        write(writer)
    return writer.directory


def told(report: Report, place: Path) -> list[tuple[str, str]]:
    """(file of the bundle, its problem)."""
    return [(item.path.removeprefix(f"{place}!"), item.problem) for item in report.inputs if item.problem]


def cut_lines(bundle: Path) -> None:
    lines = (bundle / STDOUT).read_text().splitlines(keepends=True)
    (bundle / STDOUT).write_text("".join(lines[:40] + lines[60:]))


def cut_manifest(bundle: Path) -> None:
    (bundle / MANIFEST).write_bytes((bundle / MANIFEST).read_bytes()[:300])


def add_file(bundle: Path) -> None:
    (bundle / "captures/run-1/notes").write_text("hello\n")


def add_picture(bundle: Path) -> None:
    (bundle / "captures/run-1/plot.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)))


def empty_sums(bundle: Path) -> None:
    (bundle / SUMS).write_text("")


def replace_manifest(bundle: Path) -> None:
    (bundle / MANIFEST).write_text("{}\n")


def link_in_place(bundle: Path) -> None:
    shutil.move(bundle / STDOUT, bundle.parent / "elsewhere")
    (bundle / STDOUT).symlink_to(bundle.parent / "elsewhere")


def remove(name: str) -> Callable[[Path], None]:
    return lambda bundle: (bundle / name).unlink()


DAMAGES: dict[str, tuple[Callable[[Path], None], list[tuple[str, str]]]] = {
    "lines are gone": (cut_lines, [(STDOUT, DIFFERS)]),
    "the manifest is cut": (cut_manifest, [(MANIFEST, f"damaged, it is no JSON; {DIFFERS}")]),
    "the manifest is another": (replace_manifest, [(MANIFEST, f"the manifest is not one of slowlink's; {DIFFERS}")]),
    "the manifest is gone": (remove(MANIFEST), [(MANIFEST, "missing")]),
    "the output is gone": (remove(STDOUT), [(STDOUT, "missing")]),
    "the sums are gone": (remove(SUMS), [(SUMS, NO_SUMS)]),
    "the sums are empty": (empty_sums, [(STDOUT, ADDED), (MANIFEST, ADDED)]),
    "a file was added": (add_file, [("captures/run-1/notes", ADDED)]),
    "a link lies in place of a file": (link_in_place, [(STDOUT, "a symbolic link, not read"), (STDOUT, "missing")]),
}


def test_a_bundle_as_it_was_written_is_healthy_and_has_no_problem(bundle: Path) -> None:
    report = analyze(bundle)
    assert (report.verdict, told(report, bundle)) == ("healthy", [])


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_directory_that_is_not_as_it_was_written_proves_nothing(bundle: Path, damage: str) -> None:
    spoil, expected = DAMAGES[damage]
    spoil(bundle)
    report = analyze(bundle)
    assert sorted(told(report, bundle)) == sorted(expected)
    assert report.verdict == "inconclusive"
    shown = read_bundle(bundle)
    assert shown.integrity == "differs"
    words = {f"{name}: {one}" for name, why in expected for one in why.split("; ")}
    assert set(shown.problems) == words


def by_hand(bundle: Path, target: Path) -> Path:
    """An archive with the folder around it, in the order of a directory: captures, then manifest and sums."""
    with tarfile.open(target, "w:gz") as archive:
        for path in sorted(path for path in bundle.rglob("*") if path.is_file()):
            archive.add(path, f"x/{path.relative_to(bundle)}")
    return target


def zipped(bundle: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for path in bundle.rglob("*") if path.is_file()):
            archive.write(path, f"x/{path.relative_to(bundle)}")
    return target


PACKED: dict[str, tuple[Callable[[Path, Path], Path], str]] = {
    "b.tar.zst": (pack, ""),
    "b.tar.gz": (pack, ""),
    "hand.tgz": (by_hand, "x/"),
    "hand.zip": (zipped, "x/"),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_whole_archive_is_healthy_and_its_sums_are_no_log(bundle: Path, name: str) -> None:
    how, top = PACKED[name]
    report = analyze(how(bundle, bundle.parent / name))
    names = [item.path.partition("!")[2] for item in report.inputs]
    assert (report.verdict, sorted(names)) == ("healthy", [f"{top}{STDOUT}", f"{top}{MANIFEST}"])
    assert not [item.problem for item in report.inputs if item.problem]


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("damage", ["lines are gone", "the manifest is cut", "the output is gone", "the sums are gone"])
def test_an_archive_that_is_not_as_it_was_written_proves_nothing(bundle: Path, name: str, damage: str) -> None:
    how, top = PACKED[name]
    spoil, expected = DAMAGES[damage]
    spoil(bundle)
    place = how(bundle, bundle.parent / name)
    report = analyze(place)
    assert report.verdict == "inconclusive"
    found = {(item, one) for item, why in told(report, place) for one in why.split("; ")}
    assert found == {(f"{top}{item}", one) for item, why in expected for one in why.split("; ")}


def test_damaged_sums_of_an_archive_are_told(bundle: Path) -> None:
    place = bundle.parent / "b.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_STORED) as archive:
        for name in (MANIFEST, STDOUT, SUMS):
            archive.write(bundle / name, name)
    data = place.read_bytes()
    place.write_bytes(data.replace(f"  {STDOUT}\n".encode(), f"  {STDOUT}x".encode()))
    report = analyze(place)
    assert report.verdict == "inconclusive"
    assert (SUMS, "damaged zip data: its checksum is another") in told(report, place)


def test_what_nobody_reads_is_summed_up_too(bundle: Path) -> None:
    add_picture(bundle)
    report = analyze(bundle)
    assert report.verdict == "inconclusive"
    assert told(report, bundle) == [
        ("captures/run-1/plot.png", "an image (PNG), not a log"),
        ("captures/run-1/plot.png", ADDED),
    ]


def test_sums_of_other_programs_are_a_text_like_any_other(tmp_path: Path) -> None:
    (tmp_path / "job.log").write_text(LOG)
    (tmp_path / SUMS).write_text(f"{'0' * 64}  job.log\n{'1' * 64}  model.bin\n")
    report = analyze(tmp_path)
    assert report.verdict == "healthy"
    assert {Path(item.path).name: item.unread for item in report.inputs}[SUMS] == 2


def test_very_many_missing_files_are_counted(bundle: Path) -> None:
    with (bundle / SUMS).open("a") as sums:
        sums.writelines(f"{number:064x}  captures/run-1/file{number}\n" for number in range(100))
    report = analyze(bundle)
    problems = told(report, bundle)
    assert len(problems) == 21
    assert problems[-1] == (str(bundle), "80 more of its files are missing, or not as they were written")


def test_of_two_bundles_the_damaged_one_is_named(bundle: Path, tmp_path: Path) -> None:
    shutil.copytree(bundle, tmp_path / "c")
    cut_lines(tmp_path / "c")
    report = analyze(tmp_path)
    assert report.verdict != "healthy"
    assert told(report, tmp_path) == [(f"{tmp_path}/c!{STDOUT}", DIFFERS)]


def test_a_fault_in_a_damaged_bundle_stays(bundle: Path) -> None:
    with (bundle / STDOUT).open("a") as log:
        log.write(
            "[12345.678901] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
        )
    assert analyze(bundle).verdict == "broken"


def killed(place: Path, log: str, whole: bool) -> Path:
    """What is left when slowlink is killed: ``whole``, between two captures; otherwise inside of the first."""
    writer = BundleWriter(place, clock=lambda: 0.0)
    if whole:
        write(writer, log)
    else:
        run = writer.capture("run-1", "collective", ["mpirun", "-np", "16", "all_reduce_perf"])
        run.write_stdout(log)
    return writer.directory


@pytest.mark.parametrize("whole", [False, True])
def test_a_run_that_was_cut_off_proves_nothing(tmp_path: Path, whole: bool) -> None:
    report = analyze(killed(tmp_path / "b", LOG, whole))
    assert report.verdict == "inconclusive"
    assert report.headline == "inconclusive: the run was cut off: slowlink itself was killed; run it again"
    assert [found.cause for found in report.diagnoses] == ["run-interrupted"]
    assert [item.problem for item in report.inputs if item.problem] == []


def test_a_fault_in_a_run_that_was_cut_off_stays(tmp_path: Path) -> None:
    xid = (
        "[12345.678901] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
    )
    report = analyze(killed(tmp_path / "b", LOG + xid, whole=False))
    assert report.verdict == "broken"
    assert "run-interrupted" in [found.cause for found in report.diagnoses]


def test_the_sums_are_those_of_sha256sum(bundle: Path) -> None:
    program = shutil.which("sha256sum")
    if program is None:
        pytest.skip("no sha256sum here")
    cut_lines(bundle)
    done = subprocess.run(
        [program, "--check", "--quiet", SUMS], cwd=bundle, capture_output=True, text=True, check=False
    )
    assert done.stdout == f"{STDOUT}: FAILED\n"
    assert read_bundle(bundle).problems == (f"{STDOUT}: {DIFFERS}",)
