from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

from slowlink.rules.diagnosis import diagnose, verdict
from slowlink.rules.evidence.findings import Proof

FAILED = "node07:4711:4712 [0] init.cc:300 NCCL WARN Cuda failure 'system not yet initialized'\n"

FINE = "node07:4711:4712 [0] init.cc:300 NCCL WARN Cuda failure 'out of memory'\n"


def test_names_the_node() -> None:
    assert said("fabricmanager-down", FAILED) == snapshot(
        [
            (
                "fabric-manager-down",
                "critical",
                "likely",
                "node07: CUDA error 802 (system not yet initialized): the NVSwitch fabric is not set "
                "up, the fabric manager does not run or does not fit the driver",
            )
        ]
    )


def test_silent_on_another_cuda_error() -> None:
    assert findings_of("fabricmanager-down", FINE) == ()


def test_from_its_own_log() -> None:
    text = (
        "[Jan 02 2031 03:04:05] [ERROR] [tid 9] fabric manager NVIDIA GPU driver interface version 535.54.03 "
        "don't match with driver version 535.86.10.\n"
    )
    assert said("fabricmanager-down", text) == snapshot(
        [
            (
                "fabric-manager-down",
                "critical",
                "likely",
                "the fabric manager gave up: fabric manager NVIDIA GPU driver interface version "
                "535.54.03 don't match with driver version 535.86.10.",
            )
        ]
    )


def test_from_the_state_of_its_service() -> None:
    status = "● nvidia-fabricmanager.service - NVIDIA fabric manager service\n     Active: {} since Thu 2031-01-02\n"
    (finding,) = findings_of("fabricmanager-down", status.format("failed (Result: exit-code)"))
    assert finding.message == snapshot("the fabric manager's service failed")
    assert findings_of("fabricmanager-down", status.format("active (running)")) == ()
    assert findings_of("fabricmanager-down", status.format("inactive (dead)")) == ()


def test_from_the_journal() -> None:
    text = (
        "Feb 01 12:04:31 hgx2 nv-fabricmanager[22]: fabric manager NVIDIA GPU driver interface version 535.54.03 don't "
        "match with driver version 535.86.10. Please update with matching NVIDIA driver package.\n"
        "Feb 01 12:04:31 hgx2 systemd[1]: Failed to start NVIDIA fabric manager service.\n"
    )
    (finding,) = findings_of("fabricmanager-down", text)
    assert finding.message == snapshot(
        "hgx2: the fabric manager gave up: fabric manager NVIDIA GPU driver interface version 535.54.03 don't match with driver version 535.86.10. Please update wi"
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("fabricmanager-down", FAILED) == snapshot(
        [
            [
                ("See whether it runs, and what it says.", "systemctl status nvidia-fabricmanager"),
                (
                    "Start it now and at boot; its version must be the driver's.",
                    "systemctl enable --now nvidia-fabricmanager",
                ),
            ]
        ]
    )


def test_its_main_process_that_ended() -> None:
    journal = "gpu21 systemd[1]: nvidia-fabricmanager.service: Main process exited, code=exited, status={}"
    assert [entry[1] for entry in said("fabricmanager-down", journal.format("1/FAILURE"))] == ["critical"]
    assert findings_of("fabricmanager-down", journal.format("0/SUCCESS")) == ()


def test_an_error_of_which_nothing_else_is_known_leaves_a_measured_job_open() -> None:
    line = "[Mar 04 2031 10:11:12] [ERROR] [tid 9] failed to turn the mill"
    (found,) = findings_of("fabricmanager-down", line)
    assert found.message == "the fabric manager says 'failed to turn the mill', and nothing shows what came of it"
    assert verdict(diagnose([found]), [Proof("the bandwidth is as it should be", weight=3)]) == "inconclusive"
