"""Torn, cut, wrapped, mixed and falsified text: what is whole is read, what is not is said so."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from nccl_tests_texts import one_run, parse, steps, sweep

from slowlink.inputs import Input
from slowlink.model.source import Line
from slowlink.parsers.benchmarks.nccl_tests import PARSER, table
from slowlink.parsers.benchmarks.nccl_tests.shapes import wants
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.reading.read import read
from slowlink.simulate.nccl_tests_output import LAYOUTS, Node, Run, render, render_header, render_row, render_rows

HEAD = render_header(sweep(), "2.13.4")
ROWS = render_rows(sweep(), "2.13.4")


def test_a_cell_with_letters_in_it_spoils_one_point_only() -> None:
    torn = ROWS[6].replace(ROWS[6].split()[5], "46merci81.0")
    run = one_run([*HEAD, *ROWS[:6], torn, *ROWS[7:]])
    doubtful = [point for point in run.points if point.doubt]
    assert [point.doubt for point in doubtful] == ['time reads "46merci81.0"']
    assert doubtful[0].time_us is None
    assert doubtful[0].busbw_gbs is not None
    assert [ref.text for ref in run.torn_rows] == [torn]
    assert run.rows == len(ROWS)


def test_a_row_that_contradicts_itself_is_doubted_with_its_numbers() -> None:
    row = "  16777216  4194304  float  sum  -1  210.40  20.10  37.69  0  212.80  20.20  37.88  0"
    run = one_run([*HEAD, *ROWS, row])
    assert [point.doubt for point in run.points[-2:]] == [
        "algbw 20.1 GB/s does not follow from 16777216 B in 210.4 us = 79.74 GB/s",
        "algbw 20.2 GB/s does not follow from 16777216 B in 212.8 us = 78.84 GB/s",
    ]


def test_a_busbw_that_does_not_fit_the_other_rows_is_doubted() -> None:
    cells = ROWS[-1].split()
    run = one_run([*HEAD, *ROWS[:-1], ROWS[-1].replace(cells[7], "150.00")])
    assert [bool(point.doubt) for point in run.points[-2:]] == [True, False]
    assert "the other rows give busbw/algbw = 1.875" in str(run.points[-2].doubt)


@pytest.mark.parametrize("word", ["nan", "-nan", "inf"])
def test_no_number_is_said_to_be_none(word: str) -> None:
    cells = ROWS[-1].split()
    run = one_run([*HEAD, *ROWS[:-1], ROWS[-1].replace(cells[7], word)])
    assert [point.doubt for point in run.points[-2:]] == [f"busbw is {word}", None]


def feed_all(pieces: list[tuple[str, bool]]) -> list[float | None]:
    parser = PARSER()
    for number, (text, torn) in enumerate(pieces, 1):
        if parser.wants(text) or parser.greedy:
            parser.feed(Line("f", number, text, torn=torn))
    (run,) = [record for record in parser.finish() if hasattr(record, "points")]
    assert [point.doubt for point in run.points] == [None] * len(run.points)
    return [point.time_us for point in run.points]


@pytest.mark.parametrize("lost", [False, True])
def test_pieces_of_a_row_torn_by_log_lines_are_joined(lost: bool) -> None:
    """``lost``: the digit before the tear went with the host name that was glued to it."""
    whole = feed_all([(text, False) for text in [*HEAD, *ROWS]])
    pieces = [(text, False) for text in HEAD]
    for row in ROWS:
        cells = row.split()
        out, in_place = cells[5 : 8 if lost else 9], cells[9:]
        pieces += [("  ".join(cells[:5]), True), ("  ".join(out), True), ("  ".join(in_place), False)]
    assert feed_all(pieces) == whole


def test_rows_wrapped_by_a_terminal_are_joined() -> None:
    wrapped = [piece for row in ROWS for piece in (row[:80], row[80:])]
    run, whole = one_run([*HEAD, *wrapped]), one_run([*HEAD, *ROWS])
    assert [replace(point, ref=ROWS_REF) for point in run.points] == [replace(p, ref=ROWS_REF) for p in whole.points]


ROWS_REF = one_run([*HEAD, *ROWS]).points[0].ref


def test_a_row_cut_behind_one_side_keeps_that_side() -> None:
    cut = "  ".join(ROWS[-1].split()[:9])
    run = one_run([*HEAD, *ROWS[:-1], cut])
    assert (run.rows, len(run.points)) == (len(ROWS), 2 * len(ROWS) - 1)
    assert run.points[-1].doubt is None
    assert len(run.torn_rows) == 1
    assert not run.concluded


def test_empty_table_is_header_only() -> None:
    lines = render(sweep(), "2.17.9")
    header = next(index for index, line in enumerate(lines) if "busbw" in line)
    run = one_run(lines[: header + 2])
    assert (run.header_only, run.rows, run.concluded, run.collective) == (True, 0, False, "all_reduce")


def test_masked_numbers_are_no_numbers() -> None:
    rows = ["  65536  1024  half  none  -1  XXXX  XX.XX  XX.XX  0  XXXX  XX.XX  XX.XX  N/A"]
    run = one_run([*HEAD, *rows, "# Avg bus bandwidth    : XXX.XX"])
    assert run.masked
    assert run.average_busbw_gbs is None
    assert {(point.time_us, point.algbw_gbs, point.busbw_gbs, point.doubt) for point in run.points} == {(None,) * 4}


def test_exponents_are_numbers_and_a_small_average_is_small() -> None:
    run = sweep()
    slow = replace(run, steps=steps([1 << 34], gbs=1.0))
    lines = [*render(slow, "2.19.6")[:-5], "# Avg bus bandwidth    : 1.23457e-05 "]
    assert "1.7e+07" in " ".join(lines)
    found = one_run(lines)
    assert found.points[0].time_us == pytest.approx(1.7e7)
    assert found.points[0].doubt is None
    assert found.average_busbw_gbs == pytest.approx(1.23457e-05)


def test_wrong_elements_and_failed_checks_are_kept() -> None:
    lines = render(replace(sweep(), out_of_bounds=12), "2.13.4")
    row = next(index for index, line in enumerate(lines) if line.split()[:1] == ["33554432"])
    lines[row] = lines[row][: lines[row].rindex("0")] + "17"
    run = one_run(lines)
    assert [point.wrong for point in run.points if point.wrong] == [17.0]
    assert (run.out_of_bounds, run.out_of_bounds_failed) == (12, True)


def test_asterisks_behind_numbers_fall_off() -> None:
    row = ROWS[-1].rstrip()
    run = one_run([*HEAD, row + "*"])
    assert run.points[-1].wrong == 0
    assert run.points[-1].doubt is None


def test_two_tests_in_one_text_are_two_runs() -> None:
    runs, _ = parse([*render(sweep("all_reduce"), "2.17.9"), *render(sweep("alltoall"), "2.17.9")])
    assert [(run.collective, run.rows) for run in runs] == [("all_reduce", 11), ("alltoall", 11)]


def test_a_new_test_behind_a_killed_one_is_its_own_run() -> None:
    killed = render(sweep("all_reduce"), "2.13.4")[:-8]
    runs, _ = parse([*killed, *render(sweep("all_gather"), "2.13.4")])
    assert [(run.collective, run.concluded) for run in runs] == [("all_reduce", False), ("all_gather", True)]
    assert runs[1].rows == 11


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(2, 4))
def test_programs_of_a_build_without_mpi_are_told_apart(data: st.DataObject, processes: int) -> None:
    texts = []
    for process in range(processes):
        one = Run("all_reduce", (Node(f"n{process}", 100 + process, 1),), steps([1 << p for p in range(13, 25)]))
        texts.append(render(one, "2.13.4"))
    begin = next(index for index, line in enumerate(texts[0]) if "out-of-place" in line) - 1
    lines = [line for text in texts for line in text[:begin]]
    left = [text[begin:] for text in texts]
    while any(left):
        chosen = data.draw(st.sampled_from([index for index, text in enumerate(left) if text]))
        lines.append(left[chosen].pop(0))
    runs, _ = parse(lines)
    assert len(runs) == processes
    assert sum(run.rows for run in runs) == 12 * processes
    assert {len(run.devices) for run in runs} == {1}
    assert all(run.concluded for run in runs)


@settings(max_examples=60, deadline=None)
@given(layout=st.sampled_from(list(LAYOUTS)), at=st.floats(0, 1))
def test_cutting_anywhere_loses_no_whole_row(layout: str, at: float) -> None:
    run = sweep()
    text = "\n".join(render(run, layout))
    cut = text[: int(at * len(text))]
    whole = [step for step in run.steps if render_row(run, layout, step) + "\n" in cut]
    runs, _ = parse(cut)
    clean = [point for found in runs for point in found.points if point.doubt is None]
    for step in whole:
        assert len([point for point in clean if point.size_bytes == step.size_bytes]) == 2


@settings(max_examples=150, deadline=None)
@given(row=st.integers(4, len(ROWS) - 1), at=st.integers(0, 200), digit=st.sampled_from("0123456789"))
def test_a_changed_digit_is_never_silently_used(row: int, at: int, digit: str) -> None:
    text = ROWS[row]
    at %= len(text)
    if not text[at].isdigit():
        return
    changed = text[:at] + digit + text[at + 1 :]
    rows = [*ROWS[:row], changed, *ROWS[row + 1 :]]
    found, whole = one_run([*HEAD, *rows]), one_run([*HEAD, *ROWS])
    for before, after in zip(whole.points, found.points, strict=False):
        for name in ("size_bytes", "time_us", "algbw_gbs", "busbw_gbs"):
            old, new = getattr(before, name), getattr(after, name)
            if old is not None and new is not None and abs(new - old) > 0.04 * old + 0.02:
                assert after.doubt, (name, old, new)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300) | st.lists(st.sampled_from([*HEAD, *ROWS, "0 0", "...", "#", "1 2 3 4"])).map("\n".join))
def test_no_text_raises(text: str) -> None:
    parse(text)
    for line in text.splitlines():
        assert wants(line) == wants(line.translate({ord(d): "0" for d in "123456789"}))


def test_numbers_of_another_program_do_not_complete_a_cut_row() -> None:
    parser = PARSER()
    cut = "  ".join(ROWS[-1].split()[:5])
    for number, text in enumerate([*HEAD, *ROWS[:-1]], 1):
        parser.feed(Line("f", number, text))
    parser.feed(Line("f", 50, cut, torn=True))
    assert parser.greedy
    assert parser.feed(Line("f", 60, " 65536      1000     391.31   391.28    0.746312")) is Use.NOT_MINE
    assert parser.feed(Line("f", 70, "# Avg bus bandwidth    : 99.5 ")) is Use.USED
    assert not parser.greedy


def test_a_check_that_is_no_number_leaves_the_results_unknown() -> None:
    rows = "".join(
        f"{size:12d} {size // 4:12d} float sum -1"
        f" {size / 180_000:.1f} 180.00 337.50 0 {size / 180_000:.1f} 180.00 337.50 ***\n"
        for size in (1 << 28, 1 << 29, 1 << 30, 1 << 31)
    )
    header = f"# size count type redop root{' time algbw busbw #wrong' * 2}\n"
    records = read([Input("x.log", None, [(header + rows).encode()])], workers=1)
    assert records.sources[0].partial
    assert records.sources[0].problem == (
        'does not tell whether 4 results are right: from line 2 on (wrong reads "***")'
    )


@pytest.mark.parametrize("nranks", [2, 5, 8, 12])
def test_an_old_program_counts_what_travels_and_not_the_size(nranks: int) -> None:
    """all_gather_perf of nccl-tests 1: algbw leaves out the own part and is busbw, too. That is no contradiction."""
    head = "#                                                out-of-place                       in-place"
    names = "#       size         count      type     time   algbw   busbw     error     time   algbw   busbw     error"
    rows = []
    for size in (1 << 20, 1 << 24, 1 << 28):
        time_us = 50 + size / 20_000
        gbs = size * (nranks - 1) / nranks / time_us / 1000
        side = f"{time_us:10.2f}{gbs:8.2f}{gbs:8.2f}     0e+00"
        rows.append(f"{size:12}{size // 4 // nranks:14}{'float':>10}{side}{side}")
    run = one_run([head, names, *rows])
    assert [point.doubt for point in run.points] == [None] * 6


def test_a_table_without_end_is_read_up_to_a_limit_and_the_rest_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAX_LINES", Limit(5, "lines of tables"))
    (first, *_) = ROWS
    records = read([Input("x.log", None, ["\n".join([first] * 5_000).encode()])], workers=1)
    assert sum(run.rows for run in records.runs) <= 6
    (source,) = records.sources
    assert (source.partial, source.problem) == (
        True,
        "holds more than 5 lines of tables of nccl-tests; not all of them were kept",
    )
