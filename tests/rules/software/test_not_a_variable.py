from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said, table

FAILED = ("$ export NCCL_NVLINK_CENTRIC_SCHED=1\n") + table()

FINE = ("$ export NCCL_DEBUG=INFO\n$ export NCCL_IB_HCA=mlx5_0\n") + table()


def test_names_the_one_that_is_meant() -> None:
    assert said("not-a-variable", FAILED) == snapshot(
        [
            (
                "not-a-variable",
                "warning",
                "certain",
                "NCCL_NVLINK_CENTRIC_SCHED=1 has no effect: never a variable: nvlinkCentricSched is "
                "a field of the communicator's configuration; NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE "
                "may be meant",
            )
        ]
    )


def test_silent_on_real_names() -> None:
    assert findings_of("not-a-variable", FINE) == ()


def test_a_typing_error_is_a_possibility() -> None:
    text = "$ export NCCL_IB_GID_INDX=3\n" + table()
    assert said("not-a-variable", text) == snapshot(
        [
            (
                "not-a-variable",
                "warning",
                "possible",
                "NCCL_IB_GID_INDX=3 has no effect: NCCL knows no such name; NCCL_IB_GID_INDEX may be meant",
            )
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("not-a-variable", FAILED) == snapshot(
        [[("Take it out, or use the name that is meant.", "unset NCCL_NVLINK_CENTRIC_SCHED")]]
    )


def test_thousands_of_unknown_names_are_no_typing_errors() -> None:
    """What may be meant is looked for a hundred times: it takes milliseconds each."""
    many = "".join(f"$ export NCCL_IB_GID_INDX{number}=3\n" for number in range(300))
    assert len(findings_of("not-a-variable", many + table())) == 100
