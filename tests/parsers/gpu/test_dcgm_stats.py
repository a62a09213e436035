"""dcgmi stats: what went wrong while a job ran."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_readings import said, unread

TEXT = """\
Successfully retrieved statistics for job: job1.
+------------------------------------------------------------------------------+
| {:<77}|
+====================================+=========================================+
|-----  Execution Stats  ------------+-----------------------------------------|
| Start Time                         | Mon Nov 23 09:12:11 2026                |
| No. of Processes                   | 1                                       |
+-----  Event Stats  ----------------+-----------------------------------------+
| Single Bit ECC Errors              | 0                                       |
| Double Bit ECC Errors              | {:<40}|
| Critical XID Errors                | {:<40}|
+-----  Slowdown Stats  -------------+-----------------------------------------+
| Due to - Power (%)                 | 61.3                                    |
|        - Thermal (%)               | {:<40}|
+-----  Overall Health  -------------+-----------------------------------------+
| Overall Health                     | {:<40}|
+------------------------------------+-----------------------------------------+
"""


def test_a_gpu_that_was_hot_and_lost_memory() -> None:
    text = TEXT.format("GPU ID: 3", 2, 1, 41.2, "Failure")
    assert said(text) == snapshot(
        [
            "gpu-ecc-volatile-uncorrectable 3 = 2",
            "health-test dcgm-stats/Critical XID Errors GPU 3 = warn",
            "gpu-slowed-by-heat 3 = 41.2",
            "health-test dcgm-stats/Overall Health GPU 3 = fail",
        ]
    )
    assert unread(text) == []


def test_a_job_without_trouble_proves_nothing() -> None:
    assert said(TEXT.format("Summary", 0, "N/A", 0, "Healthy")) == snapshot(["gpu-slowed-by-heat of the job = 0.0"])


def test_two_gpus_one_below_the_other() -> None:
    text = TEXT.format("GPU ID: 0", 0, 0, 7, "Healthy") + TEXT.format("GPU ID: 1", 0, 0, 9, "Healthy")
    assert said(text) == snapshot(["gpu-slowed-by-heat 0 = 7.0", "gpu-slowed-by-heat 1 = 9.0"])
