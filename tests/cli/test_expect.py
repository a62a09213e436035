from __future__ import annotations

import json
from typing import cast

import pytest
from click.testing import CliRunner, Result

from slowlink.cli.expect import command
from slowlink.errors import SlowlinkError


def run(*words: str) -> tuple[Result, object]:
    """The outcome, and what the command returns as exit status."""
    result = CliRunner().invoke(command, words, standalone_mode=False)
    return result, result.return_value


def document(*words: str) -> dict[str, object]:
    result, _ = run(*words, "--format", "json")
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def test_text_derives_every_bound_and_judges_the_threshold() -> None:
    result, status = run("--system", "hgx_h200", "--nodes", "4", "--collective", "all_reduce", "--threshold", "450")
    assert status == 1
    for part in (
        "8 x 400 Gb/s x 0.981 = 392.4",
        "nvlstree",
        "396.4 x 8/7",
        "32 published results",
        "NOT reachable",
        "SHARP",
        "90 %",
    ):
        assert part in result.stdout


def test_no_number_of_a_slow_network_is_shown_as_nothing() -> None:
    slow = ("--gpu", "h100-sxm", "--gpus-per-node", "8", "--nics", "1x0.2", "--nodes", "2", "--sockets")
    result, _ = run(*slow)
    (summary,) = [line for line in result.stdout.splitlines() if line.startswith("expect about")]
    assert summary == (
        "expect about 0.023 GB/s (ring); suspicious below 0.021, degraded below 0.017; not more than 0.046 (0.047 with "
        "the noise of measuring)"
    )
    assert " 0.0 " not in result.stdout
    (expected, *_) = cast("list[dict[str, float]]", document(*slow)["expectations"])
    assert 0 < expected["low"] < expected["value"] < expected["high"] < 0.05


def test_long_lines_are_not_cut_in_a_pipe() -> None:
    result, _ = run("--system", "hgx_h200", "--nodes", "4")
    assert any(len(line) > 100 for line in result.stdout.splitlines())
    assert "…" not in result.stdout


@pytest.mark.parametrize(("threshold", "reachable", "status"), [("350", True, 0), ("450", False, 1)])
def test_json_says_whether_a_threshold_is_reachable(threshold: str, reachable: bool, status: int) -> None:
    words = ("--system", "hgx_h200", "--nodes", "4", "--threshold", threshold)
    assert document(*words)["reachable"] is reachable
    assert run(*words)[1] == status


def test_json_has_the_report_shape() -> None:
    found = document("--system", "hgx_h200", "--nodes", "4")
    assert found["reachable"] is None
    entries = found["expectations"]
    assert isinstance(entries, list)
    for entry in entries:
        assert set(entry) >= {"quantity", "subject", "value", "low", "high", "unit", "basis"}
        assert entry["low"] <= entry["value"] <= entry["high"]
    quantities = [entry["quantity"] for entry in entries]
    assert quantities[0] == "busbw"
    assert {"busbw:ring", "busbw:tree", "busbw:nvlstree", "half_peak_size", "latency"} <= set(quantities)


def test_json_says_what_stands_behind_a_number() -> None:
    entries = document("--system", "gb200_nvl72", "--nodes", "18")["expectations"]
    assert isinstance(entries, list)
    shown = {name: entries[0][name] for name in ("high", "ceiling", "class", "published_results", "versions")}
    assert shown == {
        "high": 1451.12,
        "ceiling": 1480.15,
        "class": "nvls_rack",
        "published_results": 2,
        "versions": "0.79 to 0.80 with NCCL 2.26, 0.88 with 2.28",
    }


@pytest.mark.parametrize("collective", ["allreduce", "all-reduce", "all_reduce_perf", "ALL_REDUCE"])
def test_collectives_in_any_spelling(collective: str) -> None:
    assert document("--system", "hgx_h200", "--collective", collective)["collective"] == "all_reduce"


@pytest.mark.parametrize(
    ("words", "slug", "hint"),
    [
        (("--system", "hgx_h10"), "unknown-system", "hgx_h100"),
        (("--system", "hgx_h100", "--collective", "allreduc"), "unknown-collective", "all_reduce"),
        (("--system", "hgx_h100", "--algorithm", "rings"), "unknown-algorithm", "ring"),
        (("--system", "hgx_h100", "--size", "big"), "bad-size", "8G"),
        ((), "no-hardware", "--list-systems"),
        (("--gpu", "h100-sxm"), "no-hardware", "--gpus-per-node"),
    ],
)
def test_slips_are_errors_that_name_what_is_near(words: tuple[str, ...], slug: str, hint: str) -> None:
    result, _ = run(*words)
    assert isinstance(result.exception, SlowlinkError)
    assert result.exception.slug == slug
    assert hint in result.exception.hint


def test_too_little_known_is_inconclusive_and_still_json() -> None:
    words = ("--gpu", "h100-sxm", "--gpus-per-node", "8", "--nodes", "2")
    found = document(*words)
    assert (found["expectations"], found["reachable"]) == ([], None)
    assert "--nics" in str(found["missing"])
    assert run(*words)[1] == 3


def test_part_of_a_node() -> None:
    found = document("--system", "hgx_h100", "--gpus-per-node", "1", "--nodes", "10")
    entries = found["expectations"]
    assert isinstance(entries, list)
    assert entries[0]["high"] == pytest.approx(49.05)


def test_a_threshold_at_a_small_size_is_carried_to_the_plateau() -> None:
    words = ("--system", "aws_p5", "--nodes", "2", "--threshold", "400")
    assert run(*words)[1] == 0
    result, status = run(*words, "--size", "16M")
    assert status == 1
    assert "at this size" in result.stdout


def test_a_size_refuses_only_what_no_latency_allows() -> None:
    words = ("--system", "hgx_h200", "--nodes", "248", "--link", "roce", "--size", "512M")
    assert run(*words, "--threshold", "350")[1] == 0
    assert run(*words, "--threshold", "395")[1] == 1


def test_systems_are_listed() -> None:
    result, status = run("--list-systems")
    assert status == 0
    assert "hgx_h100" in result.stdout
    listed, _ = run("--list-systems", "--format", "json")
    assert len(json.loads(listed.stdout)["systems"]) >= 30
