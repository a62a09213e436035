"""The reader on paraphrases that were written before it, after it without a look at it, and for the score alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.complaints.complaint_lines import ComplaintLines
from slowlink.parsers.complaints.said import may_complain, read_complaint

HERE = Path(__file__).parent


def _said(name: str) -> list[tuple[str, str, str]]:
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()[1:]
    return [(cause, which, text) for cause, which, text in (line.split("\t") for line in lines)]


def _healthy(name: str) -> list[str]:
    return (HERE / name).read_text(encoding="utf-8").splitlines()[1:]


@pytest.mark.parametrize(("cause", "which", "text"), [*_said("said_first.tsv"), *_said("said_after.tsv")])
def test_a_complaint_gives_its_cause_and_what_it_names(cause: str, which: str, text: str) -> None:
    found = read_complaint(text)
    assert found is not None
    assert (found.cause, found.which or which) == (cause, which or found.which)


@pytest.mark.parametrize("text", [*_healthy("healthy_first.txt"), *_healthy("healthy_after.txt")])
def test_what_only_looks_like_a_complaint_is_none(text: str) -> None:
    assert read_complaint(text) is None


def test_the_third_set_was_for_the_score_and_this_is_what_is_still_wrong_in_it() -> None:
    read = [(text, read_complaint(text)) for _, _, text in _said("said_third.tsv")]
    causes = {text: cause for cause, _, text in _said("said_third.tsv")}
    missed = [text for text, found in read if found is None or found.cause != causes[text]]
    assert missed == snapshot(["mlx5_2 at HDR instead of NDR"])
    assert [text for text in _healthy("healthy_third.txt") if read_complaint(text)] == snapshot([])


@pytest.mark.parametrize(
    "text", [text for name in ("said_first.tsv", "said_after.tsv", "said_third.tsv") for *_, text in _said(name)]
)
def test_the_cheap_test_lets_every_complaint_through(text: str) -> None:
    if read_complaint(text) is not None:
        assert ComplaintLines.wants(text)
        assert may_complain(text)


@given(st.text(max_size=600))
def test_any_text_gives_a_result(text: str) -> None:
    found = read_complaint(text)
    assert found is None or found.cause


WORDS = (
    "gpu",
    "port",
    "0",
    "7",
    "is",
    "not",
    "no",
    "down",
    "missing",
    "expected",
    "found",
    ",",
    ":",
    "errors",
    "if",
    "x8",
)


@given(st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join))
def test_the_case_of_letters_does_not_matter(text: str) -> None:
    lower, upper = read_complaint(text), read_complaint(text.upper())
    assert (lower and lower.cause) == (upper and upper.cause)


@given(st.sampled_from([text for *_, text in _said("said_first.tsv")]))
def test_a_complaint_behind_if_is_none(text: str) -> None:
    assert read_complaint(f"if {text}") is None


def test_a_form_without_a_state_is_looked_at_once_and_does_not_hide_a_complaint() -> None:
    parser = ComplaintLines()
    for no in range(1, 400):
        parser.feed(Line("job.log", no, f"step {no} gpu memory {no}.5 of the active set"))
    parser.feed(Line("job.log", 400, "GPU 3 is missing"))
    assert [(event.ref.line, event.groups["which"]) for event in parser.finish()] == [(400, "GPU 3")]


@pytest.mark.parametrize(
    "text",
    [
        "start node-check: node_rank=0 expected_gpus=8 deep=True",
        "2031-01-02 03:04:05 INFO launching preflight with gpus=4 min_nodes=8 max_ecc_errors=10",
        "[10:00:00] starting check: rank=0 expected_gpus=8 port_state=down_ok",
        "gpu check: rank=1, expected_gpus=8",
        "running nccl check world_size=16 expected_hcas=8 threshold_ecc_errors=3",
        "link check: min_lanes=16 max_link_down_events=3",
    ],
)
def test_keys_that_name_what_should_be_are_no_complaint(text: str) -> None:
    assert read_complaint(text) is None


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("gpus=7 expected_gpus=8", "gpu-missing"),
        ("gpu check: rank=3 gpus=7 expected=8", "gpu-missing"),
        ("gpu07: visible_gpus=6 expected_gpus=8", "gpu-missing"),
        ("starting check: gpu 3 missing rank=0 try=1", "gpu-missing"),
        ("mlx5_3 port state=down expected=active", "port-down"),
    ],
)
def test_keys_of_what_is_beside_what_should_be_are_one(text: str, cause: str) -> None:
    found = read_complaint(text)
    assert found is not None
    assert found.cause == cause


@pytest.mark.parametrize(
    "text",
    [
        "Is NVLink broken? Thanks",
        "is the nvlink broken??",
        "Is my GPU 3 faulty, or is it the driver",
        "alice: has the GPU fallen off the bus",
        "Is there a way to tell that a GPU is broken",
        "nvlink_parser_test.cc:41: Failure",
        "GPU 5 used to be missing after reboots.",
        "The IB port was down before the firmware update.",
        "[Mon Nov  2 10:11:18 2031] ata3: SATA link down (SStatus 0 SControl 300)",
        '        description: "GPU fell off the bus on {{ $labels.instance }}"',
        "  - name: gpu failed",
        "Exit codes: 0 OK, 1 warning, 2 GPU failed, 3 NVLink failed",
    ],
)
def test_questions_names_and_places_in_source_state_nothing(text: str) -> None:
    assert read_complaint(text) is None


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("GPU 5 has fallen off the bus on gpu-14 since yesterday. Do I need to reboot?", "gpu-missing"),
        ("The NVLink of GPU 3 is broken. What should I do?", "nvlink-down"),
        ("probe.cc:77] the NVLink of GPU 3 is down", "nvlink-down"),
        ("port mlx5_3 is down, which is on rail 3", "port-down"),
    ],
)
def test_a_question_beside_a_statement_hides_none_of_it(text: str, cause: str) -> None:
    found = read_complaint(text)
    assert found is not None
    assert (found.cause, found.guessed) == (cause, False)


@pytest.mark.parametrize(
    "text",
    [
        "maybe the IB port is down on node07",
        "I suspect that the GPU has failed",
        "it seems that NVLink is down on GPU 3",
        "Not sure, the HCA is missing on gpu-11",
    ],
)
def test_a_guess_is_told_as_one(text: str) -> None:
    found = read_complaint(text)
    assert found is not None
    assert found.guessed


def test_a_choice_of_two_states_is_none() -> None:
    assert read_complaint("packets drops and link up/down events. It is possible to run batch") is None
    assert read_complaint("link state (up/down)") is None
    assert read_complaint("link mlx5_3 is down/disabled") is not None
    assert read_complaint("port mlx5_3/1 is down") is not None


@pytest.mark.parametrize(
    "text",
    [
        "6ec9dbe25c7761f08bad2ab64f01e2a3d08967d1b324f2bad2bdbdf9000ecc11  rank7.log",
        "ecc request 8badf00d: 0xdead of 0xecc",
        "mapped 0x7f00dbe0 to 0xbad0, dbe9bad1-0bad-4dbe-9bad-00dbe0bad000 is the key of the ecc group",
    ],
)
def test_digits_of_sums_and_addresses_spell_no_words(text: str) -> None:
    assert read_complaint(text) is None


@pytest.mark.parametrize(
    "text",
    [
        '    <testcase classname="nightly" name="gpu-missing" time="0.3"/>',
        "Passed fan-failed, gpu-missing, hca-missing, link-down, nvlink-inactive, port-down, power-lost, psu-failed, ok",
        "skipped, no state of a node: nvlink-down, port-down",
    ],
)
def test_names_of_tests_are_no_results(text: str) -> None:
    """As in reports of slowlink itself, which lie where the next analysis looks."""
    assert read_complaint(text) is None


def test_a_count_of_zero_in_a_wide_table_is_no_complaint() -> None:
    assert read_complaint("Link Down Counter                            : 0") is None
    assert read_complaint("Link Down Counter                            : 12") is not None


def test_what_a_list_of_findings_says_counts() -> None:
    assert read_complaint("node07 fails: gpu-missing, nvlink-down, port-down") is not None
    assert read_complaint('<failure message="GPU 3 is missing">') is not None


def test_words_beside_a_sum_count() -> None:
    found = read_complaint("GPU-6ec9dbe2-0bad-4dbe-9bad-00dbe0bad000: 3 DBE errors since 0x7f00dbe0")
    assert found is not None
    assert found.cause == "gpu-memory-errors"
