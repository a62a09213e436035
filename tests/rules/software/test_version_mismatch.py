from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = "node07:4711:4712 [0] NCCL WARN Mismatched NCCL version detected : rank 0 version 22602 rank 8 version 22304\n"

FINE = (
    "node07:4711:4712 [0] NCCL INFO NCCL version 2.26.2+cuda12.4\n"
    "node08:5711:5712 [1] NCCL INFO NCCL version 2.26.2+cuda12.4\n"
)


def test_names_both_versions() -> None:
    assert said("version-mismatch", FAILED) == snapshot(
        [("version-mismatch", "critical", "certain", "node07: ranks run different NCCL versions (2.26.2 and 2.23.4)")]
    )


def test_silent_on_one_version_everywhere() -> None:
    assert findings_of("version-mismatch", FINE) == ()


def test_hosts_with_versions_of_their_own() -> None:
    text = (
        "node07:4711:4712 [0] NCCL INFO NCCL version 2.26.2+cuda12.4\nnode08:5711:5712 [0] NCCL INFO "
        "NCCL version 2.26.5+cuda12.4\n"
    )
    assert said("version-mismatch", text) == snapshot(
        [
            (
                "version-mismatch",
                "warning",
                "likely",
                "nodes run different NCCL versions: 2.26.2 on node07 and 2.26.5 on node08",
            )
        ]
    )


def test_a_benchmark_that_the_driver_is_too_old_for() -> None:
    text = "gpu-13: Test CUDA failure common.cu:892 'CUDA driver version is insufficient for CUDA runtime version'\n"
    assert said("version-mismatch", text) == snapshot(
        [
            ("version-mismatch", "critical", "certain", "the driver is too old for this CUDA"),
            (
                "version-mismatch",
                "critical",
                "likely",
                "gpu-13: CUDA reports: CUDA driver version is insufficient for CUDA runtime version",
            ),
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("version-mismatch", FAILED) == snapshot(
        [
            [
                ("See the version on every node.", "NCCL_DEBUG=VERSION mpirun ... 2>&1 | grep 'NCCL version'"),
                ("See the driver's two halves.", "nvidia-smi; cat /proc/driver/nvidia/version"),
            ]
        ]
    )


ANSWER = "| NVIDIA-SMI 550.54.15      Driver Version: 550.54.15      CUDA Version: 12.4     |\n"
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\n"


def test_a_driver_that_answers_afterwards_is_sound() -> None:
    shell = "[root@gpu07 ~]# apptainer exec {}x.sif nvidia-smi\n"
    text = shell.format("") + MISMATCH + shell.format("--nv ") + ANSWER
    assert [found[1] for found in said("version-mismatch", MISMATCH + ANSWER)] == ["info"]
    titles = [found.title for found in findings_of("version-mismatch", text)]
    assert titles == ["Driver and library do not fit"], "there is one node"
    (found,) = said("version-mismatch", text)
    assert found == (
        "version-mismatch",
        "info",
        "possible",
        "gpu07: the driver's library is not that of the loaded kernel module in one call; the driver answered afterwards",
    )


def test_an_answer_before_it_or_on_another_node_says_nothing() -> None:
    shell = "[root@gpu07 ~]# nvidia-smi\n"
    (before,) = said("version-mismatch", shell + ANSWER + shell + MISMATCH)
    (other,) = said("version-mismatch", shell + MISMATCH + "[root@gpu08 ~]# nvidia-smi\n" + ANSWER)
    assert before[1] == other[1] == "critical"


def test_what_the_kernel_says_below_it_is_no_answer_of_the_library() -> None:
    shell = "[root@gpu07 ~]# nvidia-smi\n"
    kernel = "[root@gpu07 ~]# cat /proc/driver/nvidia/version\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  570.172.08  Tue Jul  8 18:28:13 UTC 2025\n"
    (found,) = said("version-mismatch", shell + MISMATCH + kernel)
    assert found[1] == "critical"
