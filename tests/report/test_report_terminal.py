from __future__ import annotations

import re
import unicodedata

import pytest
from msgspec.structs import replace
from sample_reports import DEGRADED_HEADLINE, SAMPLES, curve, degraded, expected, hostile, sweep

from slowlink.report import render, terminal
from slowlink.report.terminal import headline

SGR = re.compile(r"\x1b\[[0-9;]*m")


def plain(name: str, width: int, form: str = "terminal") -> str:
    return render(SAMPLES[name](), form, color=False, width=width)


FORMS = pytest.mark.parametrize("form", ["terminal", "full"])


@FORMS
@pytest.mark.parametrize("width", [60, 80, 100, 137, 200])
@pytest.mark.parametrize("name", SAMPLES)
def test_no_line_is_wider_than_the_terminal(name: str, width: int, form: str) -> None:
    commands = [line for line in plain(name, width, form).split("\n") if line.lstrip().startswith("$ ")]
    for line in plain(name, width, form).split("\n"):
        # A command stays on one line, so that it can be copied.
        assert len(line) <= width or line in commands


@FORMS
@pytest.mark.parametrize("name", SAMPLES)
def test_without_colour_there_is_no_control_code(name: str, form: str) -> None:
    odd = [char for char in plain(name, 100, form) if unicodedata.category(char)[0] == "C" and char != "\n"]
    assert odd == []


@FORMS
@pytest.mark.parametrize("name", SAMPLES)
def test_colour_changes_no_word(name: str, form: str) -> None:
    colored = render(SAMPLES[name](), form, color=True, width=90)
    assert SGR.search(colored)
    stripped = "\n".join(line.rstrip() for line in SGR.sub("", colored).split("\n"))
    assert stripped == plain(name, 90, form)


def test_the_headline_comes_first_and_once() -> None:
    text = plain("degraded", 200, "full")
    assert text.startswith(f"DEGRADED  {DEGRADED_HEADLINE}\n")
    assert text.count("DEGRADED") == 1


@FORMS
def test_markup_in_a_log_is_text(form: str) -> None:
    assert "[red]`|*@root" in re.sub(r"\n +", "", plain("hostile", 200, form))


@FORMS
def test_no_log_text_begins_a_line_of_its_own(form: str) -> None:
    assert not re.search(r"^# healthy", plain("hostile", 200, form), re.MULTILINE)


@pytest.mark.parametrize(("name", "most"), [("degraded", 25), ("healthy", 25), ("broken", 25), ("many_nodes", 40)])
def test_the_answer_fits_a_screen(name: str, most: int) -> None:
    assert plain(name, 80).count("\n") <= most


def test_a_pipe_gets_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    assert "\x1b" not in render(degraded(), "terminal")


def test_a_terminal_gets_colour_unless_it_says_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in render(degraded(), "terminal")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in render(degraded(), "terminal")


def test_quiet_mode_is_one_safe_line() -> None:
    assert headline(degraded()) == f"DEGRADED: {DEGRADED_HEADLINE}"
    assert "\n" not in headline(hostile())
    assert "\x1b" not in headline(hostile())


def test_of_many_sweeps_those_below_their_band_are_listed() -> None:
    report = degraded()
    good = [replace(sweep(curve(38.0, 1.0), line=100 + number)) for number in range(30)]
    names = [f"job.log:{item.line}" for item in good]
    expectations = [item for name in names for item in expected(39.2, 36.0, 40.0, name)]
    many = replace(
        report,
        sweeps=(*good, *report.sweeps),
        expectations=(*expectations, *report.expectations),
    )
    text = render(many, "full", color=False, width=120)
    assert "line 12 " in text
    assert "line 129 " not in text
    assert "and 11 more (all of them with --format html)" in text


def test_a_command_that_is_copied_is_one_line() -> None:
    command = "echo nvidia_peermem | sudo tee /etc/modules-load.d/nvidia-peermem.conf"
    assert f"$ {command}\n" in plain("degraded", 60)


def test_rows_that_cannot_be_right_are_told_on_one_screen() -> None:
    report = degraded()
    points = tuple(replace(point, doubt="busbw is nan") for point in report.sweeps[0].points[:2])
    doubted = replace(report.sweeps[0], points=(*points, *report.sweeps[0].points[2:]))
    text = render(replace(report, sweeps=(doubted, *report.sweeps[1:])), "terminal", color=False, width=120)
    assert "2 points not used as numbers (busbw is nan)" in text


def test_what_was_observed_is_told_whole_and_how_the_expected_was_derived_is_not() -> None:
    report = degraded()
    first = report.diagnoses[0]
    line = replace(first.evidence[0], observed="limit of locked memory: 64 KiB", expected="unlimited: what RDMA needs")
    shown = replace(report, diagnoses=(replace(first, evidence=(line,)), *report.diagnoses[1:]))
    text = render(shown, "terminal", color=False, width=120)
    assert "observed limit of locked memory: 64 KiB, expected unlimited\n" in text


def test_a_saved_report_may_have_no_headline() -> None:
    assert "HEALTHY" in render(replace(SAMPLES["healthy"](), headline=""), "terminal")


def test_the_only_cause_fits_a_low_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """On 24 lines the headline had scrolled away."""
    whole = render(degraded(), "terminal", color=False, width=80)
    monkeypatch.setenv("COLUMNS", "80")
    shown = {}
    for rows in (60, whole.count("\n"), 5):
        monkeypatch.setattr(terminal, "terminal_rows", lambda rows=rows: rows)
        shown[rows] = render(degraded(), "terminal", color=False)
    high, low, lowest = shown.values()
    assert high == whole
    assert low.count("\n") < whole.count("\n")
    assert all(text.startswith("DEGRADED  ") and "evidence" in text and "  more  " in text for text in (low, lowest))
    assert render(degraded(), "terminal", color=False, width=80) == whole
