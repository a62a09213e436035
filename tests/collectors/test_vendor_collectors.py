"""Collectors of topology, other vendors' tools and health checks, with made-up programs and a made-up root."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from slowlink.collectors.catalogue import all_collectors, chosen
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

SHELLS = [name for name in ("sh", "dash", "bash") if shutil.which(name)]
MINE = ("nvidia-smi-topo", "mx-smi", "rocm-smi", "dcgmi-diag", "nhc", "imex")


def run(name: str, path: Path, shell: str = "sh", root: str = "") -> subprocess.CompletedProcess[str]:
    text = next(each.text for each in all_collectors() if each.name == name)
    environment = {"PATH": f"{path}:/usr/bin:/bin", "ROOT": root}
    return subprocess.run([shell, "-s"], input=text, capture_output=True, text=True, timeout=60, env=environment)


def program(path: Path, name: str, text: str) -> None:
    tool = path / name
    tool.write_text(f"#!/bin/sh\n{text}\n")
    tool.chmod(0o755)


def attributes(text: str) -> dict[str, object]:
    found = read([Input("t", None, [text.encode()])], workers=1).readings
    return {f"{r.attribute} {r.part.name}".strip(): r.value for r in found}


def test_what_loads_a_node_runs_only_when_asked_for() -> None:
    when = {each.name: each.when for each in all_collectors() if each.name in MINE}
    assert when == snapshot(
        {
            "dcgmi-diag": "asked",
            "imex": "always",
            "mx-smi": "sampled",
            "nhc": "asked",
            "nvidia-smi-topo": "always",
            "rocm-smi": "sampled",
        }
    )
    assert all("loads the GPUs" in each.title for each in all_collectors() if each.name == "dcgmi-diag")


@pytest.mark.parametrize("shell", SHELLS)
def test_topology_and_each_kind_of_peer_to_peer(shell: str, tmp_path: Path) -> None:
    matrix = "\\tGPU0\\tGPU1\\nGPU0\\tX\\t%s\\nGPU1\\t%s\\tX\\n"
    program(
        tmp_path,
        "nvidia-smi",
        f"case \"$*\" in 'topo -m') printf '{matrix}' NV4 NV4;; 'topo -p2p r') printf '{matrix}' OK OK;;"
        f" 'topo -p2p n') printf '{matrix}' NS NS;; *) exit 2;; esac",
    )
    done = run("nvidia-smi-topo", tmp_path, shell)
    assert done.returncode == 0
    found = attributes(done.stdout)
    assert (found["gpu-pair-link 0-1"], found["gpu-pair-p2p-read 0-1"], found["gpu-pair-p2p-nvlink 0-1"]) == (
        "NV4",
        "OK",
        "NS",
    )
    assert "gpu-pair-p2p-write 0-1" not in found


def test_a_driver_that_does_not_answer_is_told(tmp_path: Path) -> None:
    program(tmp_path, "nvidia-smi", "echo 'NVIDIA-SMI has failed'; exit 9")
    done = run("nvidia-smi-topo", tmp_path)
    assert (done.returncode, done.stdout) == (9, "NVIDIA-SMI has failed\n")


@pytest.mark.parametrize("shell", SHELLS)
def test_metax(shell: str, tmp_path: Path) -> None:
    program(
        tmp_path,
        "mx-smi",
        "case \"$*\" in '') echo 'mx-smi  version: 2.2.3';; 'topo -n')"
        " printf 'GPU0 GPU1 NIC0\\nGPU0 X MX PIX\\nGPU1 MX X PXB\\n';; *) exit 1;; esac",
    )
    found = attributes(run("mx-smi", tmp_path, shell).stdout)
    assert (found["mx-smi-version"], found["gpu-pair-link 0-1"], found["gpu-nic-link 1-NIC0"]) == ("2.2.3", "MX", "PXB")


@pytest.mark.parametrize("shell", SHELLS)
def test_amd_prefers_the_tool_that_is_kept_up(shell: str, tmp_path: Path) -> None:
    program(tmp_path, "rocm-smi", "echo 'Driver version: old'")
    assert attributes(run("rocm-smi", tmp_path, shell).stdout) == {"driver-version": "old"}
    program(tmp_path, "amd-smi", "[ \"$1\" = static ] && printf 'GPU: 0\\n    DRIVER:\\n        VERSION: 6.12\\n'")
    assert attributes(run("rocm-smi", tmp_path, shell).stdout) == {"driver-version": "6.12"}


@pytest.mark.parametrize("shell", SHELLS)
def test_failing_tests_are_an_answer(shell: str, tmp_path: Path) -> None:
    table = (
        "| Diagnostic                | Result                                         |\\n"
        "+===========================+================================================+\\n"
        "| Persistence Mode          | Fail                                           |\\n"
    )
    program(tmp_path, "dcgmi", f"[ \"$*\" = 'diag -r 2' ] && printf '{table}'; exit 226")
    done = run("dcgmi-diag", tmp_path, shell)
    assert done.returncode == 0
    assert attributes(done.stdout) == {"health-test dcgm/Persistence Mode": "fail"}


def test_a_diagnostic_that_did_not_run_is_none(tmp_path: Path) -> None:
    program(tmp_path, "dcgmi", "echo 'Error: unable to establish a connection'; exit 1")
    done = run("dcgmi-diag", tmp_path)
    assert (done.returncode, done.stderr.strip()) == (1, "Error: unable to establish a connection")


@pytest.mark.parametrize(("name", "level"), [("dcgmi-diag-1", "1"), ("dcgmi-diag-4", "4"), ("dcgmi-diag-eud", "eud")])
def test_every_level_of_the_diagnostic(name: str, level: str, tmp_path: Path) -> None:
    program(tmp_path, "dcgmi", f"[ \"$*\" = 'diag -r {level}' ] && echo '| Diagnostic | Result |'; exit 0")
    assert run(name, tmp_path).stdout == "| Diagnostic | Result |\n"


def test_a_level_runs_only_under_its_whole_name() -> None:
    def names(*asked: str) -> list[str]:
        return [each.name for each in chosen(asked) if each.when == "asked"]

    assert names("dcgm") == ["dcgmi-diag"]
    assert names("dcgmi-diag-4") == ["dcgmi-diag-4"]
    assert names("eud", "azure-nhc") == ["dcgmi-diag-eud", "nhc-azure"]
    assert {
        each.name: (each.timeout_s, each.title[:21]) for each in all_collectors() if "diag" in each.name
    } == snapshot(
        {
            "dcgmi-diag": (900, "dcgmi diag, level 2: "),
            "dcgmi-diag-1": (120, "dcgmi diag, level 1: "),
            "dcgmi-diag-3": (3600, "dcgmi diag, level 3: "),
            "dcgmi-diag-4": (10800, "dcgmi diag, level 4: "),
            "dcgmi-diag-eud": (3600, "dcgmi diag, level eud"),
        }
    )


@pytest.mark.parametrize("shell", SHELLS)
def test_azures_checks_where_they_are_installed(shell: str, tmp_path: Path) -> None:
    assert run("nhc-azure", tmp_path, shell, root=str(tmp_path)).returncode == 77
    place = tmp_path / "opt/azurehpc/test/azurehpc-health-checks"
    place.mkdir(parents=True)
    failed = "ERROR:  nhc:  Health check failed:  check_gpu_count:  GPU count 7, expected 8"
    program(place, "run-health-checks.sh", f"echo running; echo '{failed}' >health.log; exit 1")
    done = run("nhc-azure", tmp_path, shell, root=str(tmp_path))
    assert (done.returncode, "running" in done.stdout) == (0, False)
    assert attributes(done.stdout)["health-test nhc/check_gpu_count"] == "fail"


@pytest.mark.parametrize("shell", SHELLS)
def test_nhc_marks_no_node_and_writes_no_log(shell: str, tmp_path: Path) -> None:
    program(
        tmp_path,
        "nhc",
        'case "$*" in *MARK_OFFLINE=0*LOGFILE=-*) ;; *) exit 3;; esac\n'
        "echo 'export SECRET=hunter2'\necho 'ERROR:  nhc:  Health check failed:  check_fs_mount:  /x not mounted'; exit 1",
    )
    done = run("nhc", tmp_path, shell)
    assert (done.returncode, "hunter2" in done.stdout) == (0, False)
    assert attributes(done.stdout)["health-test nhc/check_fs_mount"] == "fail"


@pytest.mark.parametrize("shell", SHELLS)
def test_imex_is_asked_for_where_nvlink_spans_nodes(shell: str, tmp_path: Path) -> None:
    assert run("imex", tmp_path, shell, root=str(tmp_path)).returncode == 77
    gpu = tmp_path / "proc/driver/nvidia/gpus/0008:01:00.0"
    gpu.mkdir(parents=True)
    (gpu / "information").write_text("Model: \t\t NVIDIA GB200\n")
    done = run("imex", tmp_path, shell, root=str(tmp_path))
    assert (done.returncode, attributes(done.stdout)) == (0, {"imex-channels": False})
    channels = tmp_path / "dev/nvidia-caps-imex-channels"
    channels.mkdir(parents=True)
    (channels / "channel0").touch()
    assert attributes(run("imex", tmp_path, shell, root=str(tmp_path)).stdout) == {"imex-channels": True}
