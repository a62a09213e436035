from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "./build/all_gather_perf: error while loading shared libraries: libmpi.so.40: cannot open "
    "shared object file: No such file or directory\n"
)

FINE = (
    "node07:4711:4712 [0] NCCL INFO TUNER/Plugin: Could not find: libnccl-tuner.so\n"
    "node07:4711:4712 [0] NCCL INFO NET/Plugin: Failed to find ncclNetPlugin_v8 symbol.\n"
    "srun: error: gpu01: tasks 0-3: Exited with exit code 1\n"
)


def test_names_the_library() -> None:
    assert said("library-missing", FAILED) == snapshot(
        [("library-missing", "critical", "certain", "the loader cannot load libmpi.so.40")]
    )


def test_silent_on_libraries_that_are_only_probed() -> None:
    assert findings_of("library-missing", FINE) == ()


def test_libfabric_without_its_gpu_library_is_no_stop() -> None:
    text = "libfabric:4711:1700000000::core:core:cuda_hmem_dl_init():294<warn> Failed to dlopen libcuda.so\n"
    assert said("library-missing", text) == snapshot(
        [("library-missing", "error", "likely", "libfabric cannot use GPU memory: it does not find libcuda.so")]
    )


def test_a_command_of_the_script_around_the_job_is_only_a_note() -> None:
    assert [f.severity for f in findings_of("library-missing", "bash: line 3: ibdev2netdev: command not found\n")] == [
        "info"
    ]
    assert [f.severity for f in findings_of("library-missing", "bash: line 3: mpirun: command not found\n")] == [
        "critical"
    ]


def test_it_says_what_to_do() -> None:
    assert remedies_of("library-missing", FAILED) == snapshot(
        [
            [
                ("See what the loader finds, through the same launcher.", "srun ldd ./all_reduce_perf"),
                ("Pass the library path on to the ranks.", "mpirun -x LD_LIBRARY_PATH ..."),
            ]
        ]
    )
    text = "libfabric:4711:1700000000::core:core:cuda_hmem_dl_init():294<warn> Failed to dlopen libcuda.so\n"
    assert remedies_of("library-missing", text) == snapshot(
        [
            [
                ("Give the container the driver's libraries, libcuda.so as well as libcuda.so.1.", ""),
                ("See whether libfabric has CUDA support then.", "fi_info -p cxi -v | grep -i hmem"),
            ]
        ]
    )


@pytest.mark.parametrize(
    "line",
    [
        "/etc/profile.d/site.sh: line 3: /etc/site-release: No such file or directory",
        "./run.sh: line 9: settings.env: No such file or directory",
        "ws01 gnome-shell: /usr/bin/gnome-shell: error while loading shared libraries: libx.so.1: cannot open shared object file",
    ],
)
def test_files_that_a_script_reads_and_programs_of_the_machine_are_not_the_job(line: str) -> None:
    assert findings_of("library-missing", line + "\n") == ()


def test_without_the_daemon_of_the_launcher_no_rank_starts() -> None:
    text = "bash: line 1: /opt/openmpi/bin/{}: No such file or directory\n"
    for program, severity in (
        ("orted", "critical"),
        ("prted", "critical"),
        ("hydra_pmi_proxy", "critical"),
        ("tput", "info"),
    ):
        assert [found[1] for found in said("library-missing", text.format(program))] == [severity]


def test_a_shell_that_does_not_find_the_daemon_has_another_path() -> None:
    text = "bash: line 1: {}: command not found\n"
    for name in ("orted", "prted", "hydra_pmi_proxy"):
        ((cause, severity, *_),) = said("library-missing", text.format(name))
        assert (cause, severity) == ("launcher-failed", "critical")
    assert said("library-missing", text.format("prted")) == snapshot(
        [
            (
                "launcher-failed",
                "critical",
                "certain",
                "the shell on a node does not find prted, which the launcher starts there: its PATH lacks the launcher's directory, or the launcher is not installed there",
            )
        ]
    )
    assert [found[0] for found in said("library-missing", text.format("all_reduce_perf"))] == ["library-missing"]
