"""The same benchmark, launched again and again."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from job_findings import check, findings, remedies

from slowlink.rules.measured.launches import _uncounted
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster

GIB = 1 << 30


def launch(plateau_gbs: float, **more: object) -> str:
    sizes = {"smallest_bytes": 8 * GIB, "largest_bytes": 8 * GIB, "logged": False}
    return job_log(SimulatedJob(LoggedCluster(), plateau_gbs=plateau_gbs, **{**sizes, **more}))  # type: ignore[arg-type]


FIVE = [launch(rate) for rate in (195.0, 157.0, 181.0, 193.0, 166.0)]


def test_five_launches_apart() -> None:
    assert findings("launches-differ", *FIVE) == snapshot(
        [
            {
                "cause": "bandwidth-unstable",
                "message": "5 launches of all_reduce on the same 16 ranks differ by 19% at 8 GiB: 156.6 to 194.5 GB/s",
                "how": "error, likely",
                "suspects": [],
                "evidence": [(27, "156.58 GB/s / 194.48 GB/s, as another launch"), (27, "194.48 GB/s")],
                "explains": ["average-hides-variation"],
            }
        ]
    )
    assert remedies("launches-differ", *FIVE) == snapshot(
        [
            [
                (
                    "Launch it five times more, with the times of single iterations.",
                    "all_reduce_perf -b 8589934592 -e 8589934592 -n 100 -I 1",
                ),
                ("See what else runs on the nodes meanwhile.", "nvidia-smi pmon -c 10"),
            ]
        ]
    )


def test_one_after_another_in_one_log() -> None:
    assert [f.message for f in check("launches-differ", "\n".join(FIVE)).findings] == snapshot(
        ["5 launches of all_reduce on the same 16 ranks differ by 19% at 8 GiB: 156.6 to 194.5 GB/s"]
    )


def test_two_are_a_warning_and_three_an_error() -> None:
    def severities(*rates: float) -> list[str]:
        return [f.severity for f in check("launches-differ", *map(launch, rates)).findings]

    assert severities(195, 157) == ["warning"]
    assert severities(195, 157, 194) == ["error"]
    assert severities(195, 180, 194) == []


def test_launches_that_agree_are_worth_saying() -> None:
    said = check("launches-differ", *map(launch, (195.0, 194.0, 195.5)))
    assert [(proof.message, proof.weight) for proof in said.proofs] == snapshot(
        [("3 launches of 8 GiB agree within 0.8%", 0)]
    )


@pytest.mark.parametrize(
    ("before", "between", "number"),
    [
        ("$ mpirun -np 16 ./all_reduce_perf -b 8G -e 8G", "$ mpirun -np 16 ./all_reduce_perf -b 8G -e 8G", 1),
        (
            "$ mpirun -np 16 ./all_reduce_perf -b 8G -e 8G",
            "$ NCCL_ALGO=Tree mpirun -np 16 ./all_reduce_perf -b 8G -e 8G",
            0,
        ),
        ("Run 1 of 2:", "Run 2 of 2:", 1),
        ("With the old switch:", "With the new switch:", 0),
    ],
)
def test_another_command_or_other_words_above_are_another_test(before: str, between: str, number: int) -> None:
    first, second = launch(195.0, command=False), launch(157.0, command=False)
    assert len(findings("launches-differ", f"{before}\n{first}{between}\n{second}")) == number


def test_names_of_files_that_differ_by_more_than_a_counter_are_another_test() -> None:
    assert [_uncounted(f"{name}") for name in ("run-1/stdout", "run-12/stdout")] == ["run/stdout", "run/stdout"]
    assert _uncounted("job.log") == _uncounted("job3.log") == _uncounted("job-3.log")
    assert len({_uncounted(name) for name in ("nics4.log", "nics8.log", "16ch.log", "before.log", "after.log")}) == 5


def test_other_hosts_versions_ranks_and_sizes_are_other_tests() -> None:
    other = FIVE[1].replace("nccl-library=2", "nccl-library=3")
    assert other != FIVE[1]
    assert findings("launches-differ", FIVE[0], other) == []
    assert findings("launches-differ", FIVE[0], launch(157.0, largest_bytes=4 * GIB, smallest_bytes=4 * GIB)) == []
