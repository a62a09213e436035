from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check, findings, lines_at, remedies, skipped
from text_findings import findings_of, said

from slowlink.simulate.job import SimulatedJob, job_log

GIB = 1 << 30


def test_elements_that_came_back_wrong() -> None:
    text = job_log(SimulatedJob(wrong={GIB: 31, 2 * GIB: 7}))
    assert findings("wrong-results", text) == snapshot(
        [
            {
                "cause": "wrong-results",
                "message": "all_reduce on 16 ranks returned wrong data at 1 GiB, 2 GiB (4 failing checks)",
                "how": "critical, certain",
                "suspects": [],
                "evidence": [
                    (367, "#wrong = 31 at 1 GiB / 0"),
                    (368, "#wrong = 7 at 2 GiB / 0"),
                    (371, "4 failing checks / 0"),
                ],
                "explains": ["busbw-below-expected", "bandwidth-unstable"],
            }
        ]
    )
    assert all(
        " 31 " in line or " 7 " in line for line in lines_at(text, check("wrong-results", text).findings[0])[:-1]
    )


def test_a_footer_that_failed_is_enough() -> None:
    text = job_log(SimulatedJob()).replace("# Out of bounds values : 0 OK", "# Out of bounds values : 3 FAILED")
    assert findings("wrong-results", text) == snapshot(
        [
            {
                "cause": "wrong-results",
                "message": "all_reduce on 16 ranks returned wrong data (3 failing checks)",
                "how": "critical, certain",
                "suspects": [],
                "evidence": [(371, "3 failing checks / 0")],
                "explains": ["busbw-below-expected", "bandwidth-unstable"],
            }
        ]
    )


def test_results_that_were_not_checked_are_not_wrong() -> None:
    text = job_log(SimulatedJob()).replace("       0 ", "     N/A ")
    assert "N/A" in text
    assert findings("wrong-results", text) == []


def test_the_rounding_error_of_old_versions_is_no_fault() -> None:
    text = job_log(SimulatedJob(layout="2.0")).replace("0e+00", "2e-07")
    assert "2e-07" in text
    assert findings("wrong-results", text) == []


def test_a_cell_of_a_torn_row_proves_nothing() -> None:
    """The time contradicts the bandwidth: that half of the row is damaged, and its #wrong may be, too."""
    text = job_log(SimulatedJob())
    row = next(line for line in text.splitlines() if line.startswith("  1073741824 "))
    time, wrong = row.split()[5], "       0 "
    damaged = row.replace(time, time[1:], 1).replace(wrong, "      41 ", 1)
    assert findings("wrong-results", text.replace(row, damaged)) == []


def test_without_a_table() -> None:
    assert skipped("wrong-results", "NCCL version 2.21.5+cuda12.4\n") == snapshot(
        "no table of a collective benchmark (nccl-tests, rccl-tests, mccl) in the input"
    )


def test_it_says_what_to_do() -> None:
    assert remedies("wrong-results", job_log(SimulatedJob(wrong={GIB: 31}))) == snapshot(
        [
            [
                (
                    "Repeat with many checks on halves of the nodes until the node or link is found.",
                    "all_reduce_perf -b 8M -e 1G -f 2 -c 20",
                ),
                ("Read the memory errors of the GPUs on the suspect nodes.", "nvidia-smi -q -d ECC,ROW_REMAPPER"),
            ]
        ]
    )


OSU = (
    "# OSU MPI-CUDA Allreduce Latency Test v7.3\n# Datatype: MPI_INT.\n"
    "# Size       Avg Latency(us)        Validation\n"
    "4                      31.42              Pass\n"
    "32768                  60.07              {}\n"
    "1048576               402.18              Pass\n"
)


def test_osu_compares_data_too() -> None:
    assert said("wrong-results", OSU.format("Fail")) == snapshot(
        [
            (
                "wrong-results",
                "critical",
                "certain",
                "MPI returned wrong data: Allreduce Latency fails its validation at 32 KiB",
            )
        ]
    )
    assert findings_of("wrong-results", OSU.format("Pass")) == ()
    assert findings_of("wrong-results", OSU.format("-")) == ()
