"""dcgmi diag to 3.3: a row for each outcome of a test, the first of them with its name; and texts cut after 45 characters."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.gpu.dcgm import Dcgm

HEAD = """\
+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
+-----  Hardware  ----------+------------------------------------------------+
""".splitlines()
OUTCOMES = ("Pass", "Fail", "Warn", "Skip")


def rows(name: str, *values: str) -> list[str]:
    return [f"| {(name if not number else ''):<25} | {value:<46} |" for number, value in enumerate(values)]


def said(name: str, text: str) -> list[str]:
    """A note, as DCGM breaks it."""
    return rows(name, *(text[at : at + 45] for at in range(0, len(text), 45)))


def told(lines: list[str]) -> list[tuple[str, object]]:
    return [(found.attribute, found.value) for found in feed(Dcgm, lines) if found.attribute != "health-test-category"]


def test_the_gpus_that_fail_stand_in_the_second_row() -> None:
    words = "GPU 5 Detected 2 volatile double-bit ECC error(s) in GPU 5. Drain the GPU and reset it."
    lines = [*HEAD, *rows("Memtest", "Pass - GPUs: 0, 1, 2   ", "Fail - GPU: 5   "), *said("Warning", words)]
    assert told(lines) == snapshot(
        [
            ("health-test", "fail"),
            ("health-test-devices", "GPUs: 0, 1, 2; Fail - GPU: 5"),
            (
                "health-test-detail",
                "GPU 5 Detected 2 volatile double-bit ECC error(s) in GPU 5. Drain the GPU and reset it.",
            ),
            ("health-test-gpus", "5"),
        ]
    )
    (result,) = (found for found in feed(Dcgm, lines) if found.attribute == "health-test")
    assert "Fail - GPU: 5" in result.ref.text


def test_the_evidence_is_kept_where_the_cell_above_is_full() -> None:
    passed = "Pass - GPUs: " + ", ".join(map(str, range(100, 106))) + ", 2"  # ends at the border
    assert len(passed) >= 44
    assert told([*HEAD, *rows("PCIe", passed[:46], "Warn - GPUs: 7, 8   ", "Skip - GPU: 9   ")])[0] == (
        "health-test",
        "warn",
    )


def test_an_outcome_without_its_test_is_a_test_without_a_name() -> None:
    lines = rows("", "", "Fail - GPUs: 2, 3   ")[1:]
    assert [(r.attribute, r.part.name, r.value) for r in feed(Dcgm, lines)] == snapshot(
        [
            ("health-test", "dcgm/a test whose name is not in the text", "fail"),
            ("health-test-devices", "dcgm/a test whose name is not in the text", "GPUs: 2, 3"),
            ("health-test-gpus", "dcgm/a test whose name is not in the text", "2,3"),
        ]
    )


def test_a_note_below_a_test_that_passes_is_a_warning_and_information_is_none() -> None:
    warned = [*HEAD, *rows("PCIe", "Pass - All"), *said("Warning", "Detected 12 PCIe replays for GPU 0")]
    informed = [*HEAD, *rows("PCIe", "Pass - All"), *said("Info", "GPU 0 GPU to Host bandwidth: 26.1 GB/s")]
    skipped = [*HEAD, *rows("PCIe", "Skip - All"), *said("Warning", "The test is skipped for GPU 0")]
    assert [told(lines)[0][1] for lines in (warned, informed, skipped)] == ["warn", "pass", "skip"]


@given(st.lists(st.sampled_from(OUTCOMES), min_size=1, max_size=8))
def test_whatever_part_of_the_gpus_fails_is_told(outcome_of: list[str]) -> None:
    """The order of rows is that of ``dcgmi/Diag.cpp``; a test that all GPUs end alike has one row."""
    by_outcome = {word: [n for n, found in enumerate(outcome_of) if found == word] for word in OUTCOMES}
    parts = [
        f"{word} - All"
        if len(gpus) == len(outcome_of)
        else f"{word} - GPU{'s' * (len(gpus) > 1)}: {', '.join(map(str, gpus))}   "
        for word, gpus in by_outcome.items()
        if gpus
    ]
    found = dict(told([*HEAD, *rows("GPU Memory", *parts), *rows("Memtest", "Pass - All")])[:4])
    worst = next(word for word in ("Fail", "Warn", "Pass", "Skip") if by_outcome[word])
    assert told([*HEAD, *rows("GPU Memory", *parts)])[0] == ("health-test", worst.lower())
    if len(parts) > 1 and worst in ("Fail", "Warn"):
        accused = sorted(by_outcome["Fail"] + by_outcome["Warn"])
        assert sorted(map(int, str(found["health-test-gpus"]).split(","))) == accused


@given(st.text("ab .", min_size=1, max_size=200))
def test_a_text_is_joined_as_it_was(text: str) -> None:
    lines = [*HEAD, *rows("PCIe", "Fail - All"), *said("Warning", text.strip() or "a")]
    details = [found.value for found in feed(Dcgm, lines) if found.attribute == "health-test-detail"]
    assert [" ".join(str(value).split()) for value in details] == [" ".join((text.strip() or "a").split())]


def test_a_note_about_the_gpus_that_are_skipped_beside_others_is_a_warning() -> None:
    parts = ("Pass - GPUs: 0, 1   ", "Skip - GPU: 2   ")
    noted = [*HEAD, *rows("Context Create", *parts), *said("Warning", "GPU 2 failed to create a CUDA context: busy")]
    assert [told(lines)[0][1] for lines in (noted, [*HEAD, *rows("Context Create", *parts)])] == ["warn", "pass"]
