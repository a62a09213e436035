"""The collectors of GPU state, with a made-up nvidia-smi and a made-up root."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from nvidia_smi_outputs import node
from slowlink.collectors.catalogue import all_collectors
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

SHELLS = [name for name in ("sh", "dash", "bash") if shutil.which(name)]
PROCESSES = (
    "gpu_bus_id, pid, used_gpu_memory [MiB], process_name\n"
    "00000000:1A:00.0, 4711, 128 MiB, /opt/bin/python serve.py --password=hunter2\n"
)


def run(name: str, shell: str, path: Path, root: str = "") -> subprocess.CompletedProcess[str]:
    text = next(each.text for each in all_collectors() if each.name == name)
    environment = {"PATH": f"{path}:/usr/bin:/bin", "ROOT": root}
    return subprocess.run([shell, "-s"], input=text, capture_output=True, text=True, timeout=60, env=environment)


def program(path: Path, text: str) -> None:
    """A program named nvidia-smi."""
    tool = path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\n{text}\n")
    tool.chmod(0o755)


def printed(path: Path, text: str, condition: str = "true") -> None:
    (path / "answer").write_text(text)
    program(path, f"{condition} && cat {path}/answer")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_query_without_arguments_of_processes(shell: str, tmp_path: Path) -> None:
    printed(tmp_path, node(), '[ "$*" = -q ]')
    done = run("nvidia-smi-q", shell, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "secret" in node()
    assert done.stdout.strip() == node().replace("python train.py --token secret", "python").strip()


def test_a_query_that_fails_says_so(tmp_path: Path) -> None:
    program(tmp_path, "echo 'NVIDIA-SMI has failed because it could not communicate with the driver'; exit 9")
    done = run("nvidia-smi-q", "sh", tmp_path)
    assert done.returncode == 9
    assert "could not communicate" in done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_processes_where_samples_are_not_supported(shell: str, tmp_path: Path) -> None:
    printed(tmp_path, PROCESSES, 'case "$*" in pmon*) exit 3;; esac; [ "$2" = --format=csv ]')
    done = run("nvidia-smi-processes", shell, tmp_path)
    assert done.returncode == 0
    assert "hunter2" not in done.stdout
    found = read([Input("t", None, [done.stdout.encode()])], workers=1).readings
    assert [r.value for r in found if r.attribute == "process-name"] == ["python"]


def test_links(tmp_path: Path) -> None:
    program(tmp_path, 'echo "$*"')
    assert run("nvidia-smi-nvlink", "sh", tmp_path).stdout == "nvlink -s\nnvlink -e\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_versions_from_files(shell: str, tmp_path: Path) -> None:
    gpu = tmp_path / "proc/driver/nvidia/gpus/0000:3b:00.0"
    gpu.mkdir(parents=True)
    (tmp_path / "proc/driver/nvidia/version").write_text(
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.1.2  Release Build\n"
    )
    (gpu / "information").write_text("Model: \t\t NVIDIA H100 80GB HBM3\nGPU Firmware: \t 570.1.2\n")
    done = run("nvidia-versions", shell, tmp_path, root=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    found = read([Input("t", None, [done.stdout.encode()])], workers=1).readings
    assert {(r.attribute, r.part.name, r.value) for r in found} >= {
        ("driver-version", "", "570.1.2"),
        ("gpu-name", "0000:3b:00.0", "NVIDIA H100 80GB HBM3"),
        ("gpu-gsp-firmware", "0000:3b:00.0", "570.1.2"),
    }


def test_no_driver_is_a_skip(tmp_path: Path) -> None:
    done = run("nvidia-versions", "sh", tmp_path, root=str(tmp_path))
    assert (done.returncode, done.stdout) == (77, "")
    assert "not loaded" in done.stderr
