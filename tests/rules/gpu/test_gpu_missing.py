from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=train, GPU has fallen off the bus.\n"

FINE = "SUCCESS:  nhc:  Health check passed:  check_gpu_count: Expected 8 and found 8\n"


def test_names_the_gpu() -> None:
    assert said("gpu-missing", FAILED) == snapshot(
        [("gpu-missing", "critical", "certain", "GPU 0000:3b:00.0 is gone: the driver cannot reach it any more")]
    )


def test_silent_on_a_full_count() -> None:
    assert findings_of("gpu-missing", FINE) == ()


def test_a_count_that_is_too_small() -> None:
    text = "ERROR:  nhc:  Health check failed:  check_gpu_count: Expected 8 and found 7\n"
    assert said("gpu-missing", text) == snapshot([("gpu-missing", "error", "certain", "7 GPUs found, 8 expected")])


def test_too_many_ranks_are_only_a_possibility() -> None:
    text = "Invalid number of GPUs: 8 requested but only 7 were found.\n"
    assert said("gpu-missing", text) == snapshot(
        [("gpu-missing", "critical", "possible", "8 GPUs were asked for and 7 found")]
    )
    assert said("gpu-missing", text.replace("7", "4")) == [], "so many do not break at once"


def test_a_device_number_that_does_not_exist_is_asked_for_in_vain() -> None:
    assert said("gpu-missing", "gpu-13: Test CUDA failure common.cu:892 'invalid device ordinal'\n") == []


def test_a_host_is_not_named_beside_its_own_gpu() -> None:
    text = (
        "Nov  1 04:11:02 gpu07 kernel: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n"
        "Nov  1 04:11:02 gpu07 kernel: NVRM: GPU has fallen off the bus.\n"
    )
    (finding,) = findings_of("gpu-missing", text)
    assert finding.message == snapshot("gpu07 GPU 0000:3b:00.0 is gone: the driver cannot reach it any more")


def test_a_handle_that_may_not_be_read_is_no_lost_gpu() -> None:
    for error in ("Insufficient Permissions", "GPU requires res", "0000:3B:00.0"):
        assert findings_of("gpu-missing", f"Unable to determine the device handle for GPU3: {error}\n") == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-missing", FAILED) == snapshot(
        [
            [
                ("Count what the driver sees and what PCIe sees.", "nvidia-smi -L | wc -l; lspci -d 10de: | wc -l"),
                (
                    "Drain the node and reboot it with power off in between.",
                    "scontrol update nodename=NODE state=drain reason=gpu-lost",
                ),
            ]
        ]
    )


OFFERED = "Name:               gpu07\nCapacity:\n  nvidia.com/gpu:     8\nAllocatable:\n  nvidia.com/gpu:     7\n"


def test_a_device_plugin_that_took_a_gpu_back() -> None:
    assert said("gpu-missing", OFFERED) == snapshot(
        [
            (
                "gpu-missing",
                "error",
                "likely",
                "gpu07: the device plug-in offers 7 of 8 GPUs: it takes the others for unhealthy",
            )
        ]
    )
    assert said("gpu-missing", OFFERED.replace("7\n", "8\n")) == []


def test_a_gpu_that_was_taken_back_for_a_fault_that_is_shown_is_not_missing_besides() -> None:
    fault = "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 48, pid=4711, An uncorrectable double bit error has been detected\n"
    assert said("gpu-missing", OFFERED + fault) == []
    assert len(said("gpu-missing", OFFERED.replace("7\n", "5\n") + fault)) == 1


SHORT = "Name:               gpu-07\nCapacity:\n  nvidia.com/gpu:     8\nAllocatable:\n  nvidia.com/gpu:     7\n"
NO_NODE = "Warning  FailedScheduling  2m  default-scheduler  0/4 nodes are available: 4 Insufficient {}.\n"


def test_a_gpu_that_was_taken_back_is_why_a_pod_finds_no_node() -> None:
    (missing,) = findings_of("gpu-missing", SHORT + NO_NODE.format("nvidia.com/gpu"))
    assert missing.explains == ("launcher-failed",)


def test_a_pod_that_wants_something_else_waits_for_that() -> None:
    for wanted in ("memory", "nvidia.com/gpu.\n" + NO_NODE.format("cpu")):
        (missing,) = findings_of("gpu-missing", SHORT + NO_NODE.format(wanted))
        assert missing.explains == ()


def test_a_gpu_that_gives_no_answer_and_whose_firmware_failed_is_there() -> None:
    handle = "Unable to determine the device handle for GPU3: 0000:86:00.0: Unknown Error\n"
    firmware = "NVRM: Xid (PCI:0000:86:00): 120, pid='<unknown>', name=<unknown>, GSP task exception\n"
    assert findings_of("gpu-missing", handle + firmware) == ()
    assert len(findings_of("gpu-missing", handle)) == 1
    assert len(findings_of("gpu-missing", handle.replace("Unknown Error", "GPU is lost") + firmware)) == 1
