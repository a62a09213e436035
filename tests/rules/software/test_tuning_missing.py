from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import findings, remedies, skipped

from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

TUNED = {"NCCL_IB_QPS_PER_CONNECTION": "4", "NCCL_MIN_NCHANNELS": "32"}


def log(plateau_gbs: float, env: dict[str, str], gpus: int = 8) -> str:
    return job_log(SimulatedJob(LoggedCluster(gpus=gpus, env=env), plateau_gbs=plateau_gbs))


def test_the_same_test_gains_from_settings() -> None:
    assert findings("tuning-missing", log(40.0, {}) + log(46.0, TUNED)) == snapshot(
        [
            {
                "cause": "tuning-missing",
                "message": "the same test reaches 46 GB/s in one run and 40 in the other; what the input names between them is NCCL_IB_QPS_PER_CONNECTION=4, NCCL_MIN_NCHANNELS=32",
                "how": "warning, possible",
                "suspects": ["setting NCCL_IB_QPS_PER_CONNECTION", "setting NCCL_MIN_NCHANNELS"],
                "evidence": [(370, "39.92 GB/s / 46 GB/s"), (377, "")],
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
