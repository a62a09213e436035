"""``slowlink run ib_write_bw`` with real processes that meet over TCP, and a program that plays perftest."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from local_run import MPIRUN, NO_MPIRUN, bundle_of, slowlink

from fake_perftest import fake_perftest

pytestmark = [
    pytest.mark.skipif(MPIRUN is None, reason=NO_MPIRUN),
    pytest.mark.xdist_group("perftest-ports"),
]


def run(directory: Path, path: Path, *more: str) -> tuple[int | None, dict[str, Any], str]:
    """Status, report, standard error."""
    status, out, err = slowlink(
        directory,
        "run",
        "ib_write_bw",
        "--no-snapshot",
        "--on",
        "local",
        "--path",
        str(path),
        "--format",
        "json",
        *more,
    )
    return status, json.loads(out), err


def causes(report: dict[str, Any]) -> list[str]:
    return [diagnosis["cause"] for diagnosis in report["diagnoses"]]


@pytest.mark.parametrize(("gbit", "status"), [("90", 0), ("99", 1)])
def test_threshold_decides_the_exit_status(tmp_path: Path, gbit: str, status: int) -> None:
    got, report, err = run(tmp_path, fake_perftest(tmp_path / "bin"), "--device", "mlx5_0", "--min-gbit", gbit)
    assert got == status, err
    assert report["facts"]["perftest_bw_average_gbit"] == [98.0]
    assert f"bandwidth >= {gbit} Gb/s: 98 Gb/s" in err
    manifest = json.loads((bundle_of(tmp_path) / "manifest.json").read_text())
    assert "perftest" in json.dumps(manifest["captures"])


def test_each_hca_has_its_table_also_after_one_that_fails(tmp_path: Path) -> None:
    devices = ("--device", "mlx5_0", "--device", "mlx5_1", "--device", "mlx5_2")
    status, report, err = run(tmp_path, fake_perftest(tmp_path / "bin", broken="mlx5_1"), *devices, "--min-gbit", "90")
    assert status != 0
    rows = dict(zip(report["facts"]["perftest_devices"], report["facts"]["perftest_rows"], strict=True))
    assert (rows["mlx5_0"], rows["mlx5_2"]) == (1, 1)
    assert "2 of 3 tables of perftest were printed" in err
    assert "hca-missing" in causes(report)


def test_gpu_memory_and_repeated_launches(tmp_path: Path) -> None:
    program = fake_perftest(tmp_path / "bin")
    status, report, err = run(tmp_path, program, "--gpu-memory", "cuda", "--repeat", "2", "--min-gbit", "90")
    assert status == 0, err
    assert report["facts"]["perftest_memory"] == ["cuda", "cuda"]
    assert "98 Gb/s is the lowest of 2" in err


def test_all_sizes(tmp_path: Path) -> None:
    status, report, err = run(tmp_path, fake_perftest(tmp_path / "bin"), "-a", "--min-gbit", "90")
    assert status == 0, err
    assert report["facts"]["perftest_rows"] == [23]


def test_a_server_that_is_late_is_waited_for(tmp_path: Path) -> None:
    status, report, err = run(tmp_path, fake_perftest(tmp_path / "bin", late=2), "--min-gbit", "90")
    assert status == 0, err
    assert report["facts"]["perftest_errors"] == []


def test_a_server_that_dies_ends_the_run_with_its_own_words(tmp_path: Path) -> None:
    status, report, err = run(tmp_path, fake_perftest(tmp_path / "bin", server_dies=True))
    assert status != 0
    assert causes(report)[0] == "port-down"
    assert "NOT MEASURED" in err


def test_no_result_never_passes(tmp_path: Path) -> None:
    silent = tmp_path / "bin" / "ib_write_bw"
    silent.parent.mkdir()
    silent.write_text("#!/bin/sh\n")
    silent.chmod(0o755)
    status, _, err = run(tmp_path, silent, "--min-gbit", "1")
    assert status == 3
    assert "0 of 1 tables of perftest were printed" in err


def test_what_perftest_says_without_a_device(tmp_path: Path) -> None:
    installed = shutil.which("ib_write_bw")
    if installed is None or any(Path("/sys/class").glob("infiniband/*")):
        pytest.skip("needs perftest on a machine without RDMA device")
    status, report, _ = run(tmp_path, Path(installed))
    assert status == 1
    assert causes(report)[0] == "hca-missing"


def test_a_missing_program(tmp_path: Path) -> None:
    status, _, err = slowlink(tmp_path, "run", "ib_write_bw", "--path", str(tmp_path / "ib_write_bw"))
    assert status == 2
    assert "does not exist" in err
