from __future__ import annotations

import json

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

from slowlink.catalog.causes import all_causes
from slowlink.catalog.health_tests import UNKNOWN, cause_of, meanings
from slowlink.catalog.vocabulary import vocabulary
from slowlink.rules.node.health_checks import CAUSES

PROMPT = "[root@gpu07 ~]# dcgmi diag -r 2\n"
HEAD = """\
+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
|-----  Deployment  --------+------------------------------------------------|
"""
PASS = "| NVML Library              | Pass                                           |\n"
FOOT = "+---------------------------+------------------------------------------------+\n"


def test_the_rule_declares_what_the_catalogue_of_tests_names() -> None:
    said = {meaning.cause for meaning in vocabulary("dcgm").meanings if meaning.cause}
    assert {*CAUSES} == {meaning.cause for meaning in meanings()} | said | {UNKNOWN}


def test_a_failing_test_is_its_cause() -> None:
    text = (
        PROMPT + HEAD + PASS + "| Persistence Mode          | Fail                                           |\n" + FOOT
    )
    assert said("health-checks", text) == snapshot(
        [("gpu-persistence-off", "error", "likely", "gpu07: dcgmi diag: Persistence Mode fails")]
    )


def test_the_failing_gpus_are_suspects() -> None:
    text = PROMPT + HEAD + "| PCIe                      | Fail - GPU: 2, 5                               |\n" + FOOT
    (found,) = findings_of("health-checks", text)
    assert [(suspect.kind, suspect.name) for suspect in found.suspects] == snapshot(
        [("gpu", "gpu07 2"), ("gpu", "gpu07 5"), ("node", "gpu07")]
    )


def test_a_test_that_nobody_knows_speaks_for_itself() -> None:
    text = "[root@gpu07 ~]# nhc\nERROR:  nhc:  Health check failed:  check_fs_mount:  /scratch not mounted\n"
    assert said("health-checks", text) == snapshot(
        [("health-check-failed", "error", "likely", "gpu07: NHC: check_fs_mount fails: /scratch not mounted")]
    )


def test_nodes_with_the_same_failure_are_one_finding() -> None:
    text = "".join(
        f"[root@gpu{n:02} ~]# nhc\nERROR:  nhc:  Health check failed:  check_gpu_count: Expected 8 and found 7\n"
        for n in (1, 2, 9)
    )
    assert said("health-checks", text) == snapshot(
        [
            (
                "gpu-missing",
                "error",
                "likely",
                "gpu[01-02,09]: NHC: check_gpu_count fails: Expected 8 and found 7",
            )
        ]
    )


def test_a_run_as_a_whole_counts_only_where_no_test_is_named() -> None:
    value = {"tests": {"gpu_burn": {"status": "passed"}}, "final_result": "fail"}
    assert said("health-checks", json.dumps(value)) == snapshot(
        [("health-check-failed", "error", "likely", "the health check: final result fails")]
    )


def test_a_warning_is_told_where_its_cause_is_known() -> None:
    text = (
        PROMPT + HEAD + PASS + "| Persistence Mode          | Warn                                           |\n" + FOOT
    )
    assert said("health-checks", text) == snapshot(
        [("gpu-persistence-off", "warning", "possible", "gpu07: dcgmi diag: Persistence Mode has a warning")]
    )


def test_all_passed_with_warnings_finds_nothing() -> None:
    text = (
        PROMPT + HEAD + PASS + "| Environment Variables     | Warn                                           |\n" + FOOT
    )
    assert findings_of("health-checks", text) == ()


def test_a_warning_of_the_watches_is_told() -> None:
    value = {
        "header": ["Health Monitor Report"],
        "body": {
            "Overall Health": {"value": "Warning"},
            "GPU": {"children": {"2": {"value": "Warning", "children": {"Errors": {"children": {
                "PCIe system": {"value": "Warning", "overflow": ["9 replays a minute on GPU 2"]}}}}}}},
        },
    }  # fmt: skip
    assert said("health-checks", json.dumps(value)) == snapshot(
        [
            (
                "pcie-link-degraded",
                "warning",
                "possible",
                "dcgmi health: PCIe GPU 2 has a warning on GPU 2: 9 replays a minute on GPU 2",
            )
        ]
    )


@pytest.mark.parametrize(
    ("name", "words", "error", "cause"),
    [
        ("software", "Persistence mode for GPU 1 is currently disabled.", None, "gpu-persistence-off"),
        ("pcie", "", None, "pcie-link-degraded"),
        ("pcie", "Detected 3 PCIe replays", 14, "nvlink-down"),
        ("Page Retirement/Row Remap", "", None, "gpu-memory-errors"),
        ("diagnostic", "Uncorrectable ECC error on GPU 3", None, "gpu-memory-errors"),
        ("NVLINK GPU 3", "GPU 3's NvLink link 4 is currently down", None, "nvlink-down"),
        ("Thermal GPU 0", "", None, "gpu-clocks-throttled"),
        ("check_ib_link_flapping", "", None, "link-flapping"),
        ("check_hw_ib", "No IB port mlx5_0:1 is ACTIVE (LinkUp 200 Gb/sec).", None, "port-down"),
        ("SM Stress", "", None, "health-check-failed"),
    ],
)
def test_causes(name: str, words: str, error: int | None, cause: str) -> None:
    assert cause_of(name, words, error)[0] == cause


def test_every_entry_names_a_cause_of_the_catalogue() -> None:
    assert {entry.cause for entry in meanings()} <= set(all_causes())
    numbers = [number for entry in meanings() for number in entry.errors]
    assert len(numbers) == len(set(numbers))


def test_it_says_what_to_do() -> None:
    text = (
        PROMPT + HEAD + PASS + "| Persistence Mode          | Fail                                           |\n" + FOOT
    )
    assert remedies_of("health-checks", text) == snapshot(
        [[("Run the test again on the drained node, with nothing else on it.", "dcgmi diag -r 2; nhc")]]
    )
