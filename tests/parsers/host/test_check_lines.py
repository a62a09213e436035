"""Health checks that a script logs line by line."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from job_findings import check

from slowlink.parsers.host.check_lines import CheckLines

LOG = """\
2031-01-02 03:04:05,112 - INFO - Started GPU host setup check
2031-01-02 03:04:06,112 - INFO - GPU Remap Test: Passed
2031-01-02 03:04:06,200 - ERROR - GPU ECC Errors: GPU5 - Volatile: 9
2031-01-02 03:04:07,112 - ERROR - PCIe Width Check: Failed
2031-01-02 03:04:08,112 - INFO - Password rotation: Passed
""".splitlines()


def told(lines: list[str]) -> list[tuple[str, str, object]]:
    return [(r.part.name, r.attribute, r.value) for r in feed(CheckLines, lines)]


def test_results_and_the_error_beside_them() -> None:
    assert told(LOG) == snapshot(
        [
            ("checks/GPU Remap Test", "health-test", "pass"),
            ("checks/GPU ECC Errors", "health-test", "fail"),
            ("checks/GPU ECC Errors", "health-test-detail", "GPU5 - Volatile: 9"),
            ("checks/PCIe Width Check", "health-test", "fail"),
        ]
    )


def test_a_lone_error_of_some_program_is_no_health_check() -> None:
    assert told(["2031-01-02 03:04:06 - ERROR - GPU worker: connection reset", LOG[1]]) == []


def test_results_of_programs_that_name_no_gpu_are_no_health_check() -> None:
    assert told([f"2031-01-02 03:04:06 - INFO - {name}: Passed" for name in ("Driver download", "Database port")]) == []


def test_jobs_and_accounts_have_gpus_too() -> None:
    names = ("GPU quota sync", "GPU queue import")
    assert told([f"2031-01-02 03:04:06 - ERROR - {name}: Failed" for name in names]) == []
    assert len(told([f"2031-01-02 03:04:06 - ERROR - {name}: Failed" for name in (*names, "NVLink")])) == 3


def test_two_results_do_not_make_a_node_healthy() -> None:
    lines = [f"2031-01-02 03:04:06 - INFO - GPU {name} test: Passed\n" for name in ("import", "name", "count", "copy")]
    assert [proof.weight for proof in check("health-checks", "".join(lines[:2])).proofs] == [0]
    assert [proof.weight for proof in check("health-checks", "".join(lines)).proofs] == [1]


@given(st.lists(st.sampled_from(LOG) | st.text(max_size=80), max_size=15), st.integers(0, 80))
def test_any_text(lines: list[str], cut: int) -> None:
    for _, attribute, value in told([line[:cut] for line in lines]):
        assert attribute != "health-test" or value in ("pass", "fail")
