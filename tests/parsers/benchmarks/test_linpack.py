"""Results and checks of solvers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.benchmarks.linpack import Linpack

ROW = "WC0           131072  1024     2     2              14.10       1.065e+05 ( 2.662e+04)"
CHECK = "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   0.0021114 ...... PASSED"


def _told(*texts: str) -> list[tuple[str, dict[str, str]]]:
    parser = Linpack()
    for number, text in enumerate(texts, 1):
        if parser.wants(text):
            parser.feed(Line("job.log", number, text))
    return [(event.kind, dict(event.groups)) for event in parser.finish()]


def test_a_result_and_its_check_are_read() -> None:
    assert _told(ROW, CHECK) == snapshot(
        [
            (
                "solver-result",
                {
                    "variant": "WC0",
                    "n": "131072",
                    "nb": "1024",
                    "p": "2",
                    "q": "2",
                    "time": "14.10",
                    "rate": "1.065e+05",
                    "each": "2.662e+04",
                },
            ),
            ("solver-check", {"residual": "0.0021114", "passed": "yes"}),
        ]
    )


def test_the_first_program_prints_no_rate_of_a_gpu() -> None:
    (_, groups), *_ = _told("WR11C2R4       29184   192     1     2              44.21            3.7482e+02")
    assert (groups["rate"], "each" in groups) == ("3.7482e+02", False)


def test_a_failed_check_and_an_invalid_result_say_no() -> None:
    invalid = "Final Summary::HPCG result is INVALID. See residuals above."
    assert [groups["passed"] for _, groups in _told(CHECK.replace("PASSED", "FAILED"), invalid)] == ["no", "no"]
    assert [g["passed"] for _, g in _told("Final Summary::HPCG result is VALID with a GFLOP/s rating of=1234.5")] == [
        "yes"
    ]


def test_what_the_program_explains_is_no_check() -> None:
    assert _told("- Computational tests pass if scaled residuals are less than                16.0") == []
    assert _told("              1 tests completed and failed residual checks,") == []


@given(st.text(max_size=200))
def test_any_text_gives_a_result(text: str) -> None:
    parser = Linpack()
    for number, line in enumerate((text, ROW + text, CHECK + text), 1):
        parser.feed(Line("job.log", number, line))
    assert len(list(parser.finish())) <= 3
