from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check, findings, remedies, skipped

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

TUNED = {"NCCL_IB_QPS_PER_CONNECTION": "4", "NCCL_MIN_NCHANNELS": "32"}


def log(plateau_gbs: float, env: dict[str, str], gpus: int = 8, *, command: bool = False) -> str:
    return job_log(SimulatedJob(LoggedCluster(gpus=gpus, env=env), plateau_gbs=plateau_gbs, command=command))


def under(heading: str, plateau_gbs: float) -> str:
    return f"{heading}\n{job_log(SimulatedJob(LoggedCluster(), plateau_gbs=plateau_gbs, logged=False, command=False))}"


def test_commands_tell_with_which_settings_it_was_faster() -> None:
    assert findings("tuning-missing", log(40.0, {}, command=True) + log(46.0, TUNED, command=True)) == snapshot(
        [
            {
                "cause": "tuning-missing",
                "message": "all_reduce of 8 GiB reaches 45.9 GB/s with NCCL_IB_QPS_PER_CONNECTION=4 NCCL_MIN_NCHANNELS=32 and 39.9 without them: 15% more",
                "how": "error, likely",
                "suspects": ["setting NCCL_IB_QPS_PER_CONNECTION", "setting NCCL_MIN_NCHANNELS"],
                "evidence": [
                    (370, "39.92 GB/s / 45.91 GB/s, with NCCL_IB_QPS_PER_CONNECTION=4 NCCL_MIN_NCHANNELS=32"),
                    (778, "45.91 GB/s"),
                ],
                "explains": ["busbw-below-expected", "bandwidth-unstable", "hardware-unknown"],
            }
        ]
    )


def test_so_do_headings() -> None:
    shipped = under("#### A: as shipped", 40.0)
    assert findings("tuning-missing", shipped + under("#### B: NCCL_CROSS_NIC=0", 46.0)) == snapshot(
        [
            {
                "cause": "tuning-missing",
                "message": "all_reduce of 8 GiB reaches 45.9 GB/s with NCCL_CROSS_NIC=0 and 39.9 without it: 15% more",
                "how": "error, likely",
                "suspects": ["setting NCCL_CROSS_NIC"],
                "evidence": [(37, "39.92 GB/s / 45.91 GB/s, with NCCL_CROSS_NIC=0"), (80, "45.91 GB/s")],
                "explains": ["busbw-below-expected", "bandwidth-unstable", "hardware-unknown"],
            }
        ]
    )
    assert findings("tuning-missing", shipped + under("#### B: NCCL_CROSS_NIC=0", 41.0)) == []


def test_of_two_settings_the_one_that_gains_is_named() -> None:
    runs = under("### NCCL_CROSS_NIC=0", 40.0), under("### NCCL_CROSS_NIC=0 NCCL_MIN_NCHANNELS=16", 60.0)
    (found,) = check("tuning-missing", under("### default", 40.0) + "".join(runs)).findings
    assert [suspect.name for suspect in found.suspects] == ["NCCL_MIN_NCHANNELS"]


def test_what_the_input_names_between_two_runs_is_a_hint() -> None:
    assert findings("tuning-missing", log(40.0, {}) + log(46.0, TUNED)) == snapshot(
        [
            {
                "cause": "tuning-missing",
                "message": "the same test reaches 46 GB/s in one run and 40 in the other; what the input names between them is NCCL_IB_QPS_PER_CONNECTION=4, NCCL_MIN_NCHANNELS=32",
                "how": "warning, possible",
                "suspects": ["setting NCCL_IB_QPS_PER_CONNECTION", "setting NCCL_MIN_NCHANNELS"],
                "evidence": [(369, "39.92 GB/s / 46 GB/s"), (400, "")],
                "explains": [],
            }
        ]
    )


def test_a_gain_within_what_launches_differ() -> None:
    assert findings("tuning-missing", log(44.5, {}) + log(46.0, TUNED)) == []


def test_both_runs_had_the_settings() -> None:
    assert findings("tuning-missing", log(40.0, TUNED) + log(46.0, TUNED)) == []


def test_another_number_of_ranks_is_another_test() -> None:
    assert findings("tuning-missing", log(40.0, {}, gpus=4) + log(46.0, TUNED)) == []


def test_without_settings() -> None:
    assert skipped("tuning-missing", job_log(SimulatedJob(command=False, logged=False))) == snapshot(
        "no settings; run with NCCL_DEBUG=INFO or keep the command line in the log"
    )


def test_it_says_what_to_do() -> None:
    assert remedies("tuning-missing", log(40.0, {}) + log(46.0, TUNED)) == snapshot(
        [
            [
                (
                    "Run both ways in turn on the same nodes, several launches each, and compare.",
                    "export NCCL_IB_QPS_PER_CONNECTION=4 NCCL_MIN_NCHANNELS=32",
                )
            ]
        ]
    )
