"""Matrices of TransferBench."""

from __future__ import annotations

from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import findings_of

from slowlink.parsers.benchmarks import transferbench
from slowlink.parsers.benchmarks.transferbench import PARSER
from slowlink.parsers.forms.lines import shape_of

SAMPLE = sample_in(transferbench.__doc__ or "")


def test_both_kinds_of_tables() -> None:
    found = [(m.name, m.rows, m.columns, m.matrix) for m in feed(PARSER, SAMPLE.splitlines())]
    assert found == snapshot(
        [
            (
                "Unidirectional copy peak bandwidth by GFX",
                ("cpu 0", "gpu 0", "gpu 1"),
                ("cpu 0", "gpu 0", "gpu 1"),
                ((24.11, 41.11, 41.22), (55.61, 1701.11, 47.31), (55.6, 47.2, 1711.9)),
            ),
            ("GPU all-to-all", ("gpu 0", "gpu 1"), ("gpu 0", "gpu 1"), ((None, 47.31), (47.2, None))),
        ]
    )


def test_of_both_directions_the_sum_counts() -> None:
    head = "Bidirectional copy peak bandwidth GB/s [Local read / Remote write] (GPU-Executor: DMA)\n SRC\\DST  GPU 00  GPU 01\n"
    text = head + "".join(
        f" GPU 00 {way}  N/A  {value}\n" for way, value in (("->", 40.0), ("<-", 41.0), ("<->", 81.0))
    )
    assert [m.matrix for m in feed(PARSER, text.splitlines())] == [((None, 81.0),)]


def test_a_pair_whose_link_is_slow() -> None:
    rows = "".join(
        f"GPU {a:02}"
        + "".join("  N/A" if a == b else f"  {12.1 if {a, b} == {2, 3} else 47.2:.2f}" for b in range(4))
        + "\n"
        for a in range(4)
    )
    text = "SRC\\DST  GPU 00  GPU 01  GPU 02  GPU 03\n" + rows
    (found,) = findings_of("gpu-copies-uneven", text)
    assert (found.message, found.evidence[0].line, [s.name for s in found.suspects]) == snapshot(
        ("GPUs 2-3 copy at 12.1 GB/s, the other pairs at 47.2", 4, ["GPU 2", "GPU 3"])
    )


def test_what_is_used_is_wanted_whatever_its_numbers() -> None:
    for line in filter(str.strip, SAMPLE.splitlines()):
        assert PARSER.wants(line), line
        assert PARSER.wants(shape_of(line).decode()), line


@given(st.lists(st.sampled_from(SAMPLE.splitlines()), max_size=12))
def test_any_order_of_lines_gives_whole_rows(lines: list[str]) -> None:
    for matrix in feed(PARSER, lines):
        assert {len(row) for row in matrix.matrix} == {len(matrix.columns)}
