from __future__ import annotations

from inline_snapshot import snapshot
from telemetry_texts import text_of
from text_findings import findings_of, said


def test_errors_are_counted_over_all_hcas() -> None:
    text = text_of(failed=3) + text_of(host="node08", failed=40) + text_of(host="node09")
    assert said("completions-failed", text) == snapshot(
        [
            (
                "rdma-completions-failed",
                "error",
                "likely",
                "node[07-08]: mlx5_0: 43 completions with an error",
            )
        ]
    )


def test_none_is_no_news() -> None:
    assert findings_of("completions-failed", text_of()) == ()


def test_other_rules_judge_its_counters() -> None:
    text = text_of(counters={"local_ack_timeout_err": 90, "max_retry_exceeded": 2})
    assert said("packets-lost", text) == snapshot(
        [
            (
                "link-errors",
                "error",
                "possible",
                "node07: mlx5_0 (process 4100): transfers given up because nothing answered grew by 2: packets were lost, on a bad link or to congestion",
            )
        ]
    )
    assert findings_of("packets-lost", text_of(counters={"local_ack_timeout_err": -1})) == ()
    assert findings_of("packets-lost", text_of()) == ()


def test_they_are_not_mixed_with_those_that_count_from_the_start_of_the_hca() -> None:
    folder = "/sys/class/infiniband/mlx5_0/ports/1/hw_counters"
    other = f"#=== slowlink node=node07\n{folder}/local_ack_timeout_err:123456\n"
    assert findings_of("packets-lost", text_of() + other) == ()
    assert findings_of("packets-lost", other + text_of()) == ()
