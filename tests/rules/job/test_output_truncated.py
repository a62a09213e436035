from __future__ import annotations

import lzma
import re
from pathlib import Path

from inline_snapshot import snapshot
from job_findings import findings, remedies, skipped

from slowlink import analyze
from slowlink.simulate.job import SimulatedJob, job_log

KILLED = "srun: error: node07: task 9: Killed\n"


def test_killed_in_the_middle() -> None:
    text = job_log(SimulatedJob(rows_before_death=4)) + KILLED
    assert findings("output-truncated", text) == snapshot(
        [
            {
                "cause": "output-truncated",
                "message": "the run of all_reduce at line 2 stops after 4 rows, before the 8 GiB that it announces: it was killed, it hung, or the log was cut",
                "how": "error, possible",
                "suspects": [],
                "evidence": [(363, "the benchmark's last line / # Avg bus bandwidth")],
                "explains": [],
            }
        ]
    )


def test_a_damaged_input_says_nothing_of_how_the_run_went_on(tmp_path: Path) -> None:
    whole = lzma.compress(job_log(SimulatedJob(logged=False)).encode())
    (tmp_path / "job.log.xz").write_bytes(whole[: len(whole) // 2])
    report = analyze(tmp_path / "job.log.xz")
    assert report.verdict == "inconclusive"
    assert "not everything was read" in report.headline
    assert report.headline.endswith("job.log.xz: truncated xz data")


def test_the_same_rows_without_a_sign_of_failure_are_a_warning() -> None:
    assert findings("output-truncated", job_log(SimulatedJob(rows_before_death=1, logged=False))) == snapshot(
        [
            {
                "cause": "output-truncated",
                "message": "the run of all_reduce at line 2 stops after 1 row, before the 8 GiB that it announces: it was killed, it hung, or the log was cut",
                "how": "warning, possible",
                "suspects": [],
                "evidence": [(27, "the benchmark's last line / # Avg bus bandwidth")],
                "explains": [],
            }
        ]
    )


def test_all_announced_sizes_without_the_closing_lines_are_only_noted() -> None:
    text = job_log(SimulatedJob(logged=False))
    (found,) = findings("output-truncated", text[: text.index("# Out of bounds values")])
    assert isinstance(found, dict)
    assert found["how"] == "info, possible"
    assert "stops after 11 rows, without the closing lines" in found["message"]


def test_only_a_run_that_reached_its_largest_size_is_healthy(tmp_path: Path) -> None:
    lines = job_log(SimulatedJob(plateau_gbs=186.0)).splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if " float " in line)
    verdicts = []
    for kept in (len(lines), last + 1, last, last - 3):
        (tmp_path / "job.log").write_text("".join(lines[:kept]))
        verdicts.append(analyze([tmp_path / "job.log"]).verdict)
    assert verdicts == ["healthy", "healthy", "inconclusive", "inconclusive"]


def test_a_header_and_nothing_more() -> None:
    assert findings("output-truncated", job_log(SimulatedJob(rows_before_death=0, logged=False))) == snapshot(
        [
            {
                "cause": "output-truncated",
                "message": "the run of all_reduce at line 2 printed its header and not one row: it was killed, it hung, or the log was cut",
                "how": "critical, likely",
                "suspects": [],
                "evidence": [(25, "the benchmark's last line / # Avg bus bandwidth")],
                "explains": [],
            }
        ]
    )


def test_a_log_that_ends_before_the_first_row() -> None:
    assert findings("output-truncated", job_log(SimulatedJob(rows_before_death=0))) == snapshot(
        [
            {
                "cause": "output-truncated",
                "message": "the run of all_reduce at line 2 has no row yet where the log ends: it was killed, it hung, or the log was cut",
                "how": "warning, possible",
                "suspects": [],
                "evidence": [(358, "the benchmark's last line / # Avg bus bandwidth")],
                "explains": [],
            }
        ]
    )


def test_cut_inside_a_row() -> None:
    text = job_log(SimulatedJob(rows_before_death=4))
    assert findings("output-truncated", text[:-30]) == snapshot(
        [
            {
                "cause": "output-truncated",
                "message": "the run of all_reduce at line 2 stops in the middle of a row: it was killed, it hung, or the log was cut",
                "how": "error, possible",
                "suspects": [],
                "evidence": [(363, "the benchmark's last line / # Avg bus bandwidth")],
                "explains": [],
            }
        ]
    )


def test_a_run_that_came_to_its_end() -> None:
    assert findings("output-truncated", job_log(SimulatedJob()) + KILLED) == []


def test_without_a_table() -> None:
    assert skipped("output-truncated", KILLED) == snapshot(
        "no table of a collective benchmark (nccl-tests, rccl-tests, mccl) in the input"
    )


INTERRUPTED = "mpirun noticed that process rank 0 with PID 4711 on node node06 exited on signal 2 (Interrupt).\n"


def test_somebody_ended_it() -> None:
    text = job_log(SimulatedJob(rows_before_death=4))
    (found,) = findings("output-truncated", text + INTERRUPTED)
    assert isinstance(found, dict)
    assert (found["how"], found["message"][-17:]) == ("info, possible", "somebody ended it")
    crashed = INTERRUPTED.replace("2 (Interrupt)", "11 (Segmentation fault)")
    (found,) = findings("output-truncated", text + INTERRUPTED + crashed)
    assert isinstance(found, dict)
    assert found["how"] == "error, possible"


def test_it_says_what_to_do() -> None:
    assert remedies("output-truncated", job_log(SimulatedJob(rows_before_death=4))) == snapshot(
        [
            [
                (
                    "Run again with a time-out, and keep all of the log.",
                    "all_reduce_perf ... -T 120",
                )
            ]
        ]
    )


def test_a_list_of_devices_without_the_heading_of_a_table() -> None:
    text = job_log(SimulatedJob(rows_before_death=0, logged=False))
    devices = "\n".join(line for line in text.splitlines() if "size" not in line and "(B)" not in line)
    assert findings("output-truncated", devices) == snapshot(
        [
            {
                "cause": "output-truncated",
                "message": "the run of all_reduce at line 2 lists its devices, and no table follows: it was killed, it hung, or the log was cut",
                "how": "warning, possible",
                "suspects": [],
                "evidence": [(22, "the benchmark's last line / # Avg bus bandwidth")],
                "explains": [],
            }
        ]
    )


def test_smaller_sizes_prove_nothing_of_the_largest(tmp_path: Path) -> None:
    lines = job_log(SimulatedJob(plateau_gbs=186.0)).splitlines(keepends=True)
    rows = [number for number, line in enumerate(lines) if " float " in line]
    for number in rows[-3:]:
        lines[number] = re.sub(r"\d+\.\d+(\s+0)", r"nan\1", lines[number])
    text = "".join(lines)
    (tmp_path / "job.log").write_text(text)
    assert analyze([tmp_path / "job.log"]).verdict == "inconclusive"
    (found,) = findings("output-truncated", text)
    assert isinstance(found, dict)
    assert found["how"] == "warning, likely"
    assert found["message"].endswith("has no number above 1 GiB that can be used: busbw is nan")


def test_one_side_of_the_largest_size_is_enough(tmp_path: Path) -> None:
    lines = job_log(SimulatedJob(plateau_gbs=186.0)).splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if " float " in line)
    lines[last] = re.sub(r"\d+\.\d+(\s+0)", r"nan\1", lines[last], count=1)
    (tmp_path / "job.log").write_text("".join(lines))
    assert analyze([tmp_path / "job.log"]).verdict == "healthy"
