"""Tables inside articles, scripts, markdown, launcher prefixes and other programs' output."""

from __future__ import annotations

from pathlib import Path

import pytest
from nccl_tests_texts import one_run, parse, sweep

from slowlink.inputs import open_inputs
from slowlink.model.benchmark import CollectiveRun
from slowlink.parsers.reading.read import read
from slowlink.simulate.nccl_tests_output import render, render_header, render_rows

LINES = render(sweep(), "2.17.9")
SHORT = """
#       size         count      type   redop     time   algbw   busbw      time   algbw   busbw
#        (B)    (elements)                        (us)  (GB/s)  (GB/s)      (us)  (GB/s)  (GB/s)
  1073741824     268435456     float     sum     6000.0  178.96  335.54     6100.0  176.02  330.04
  ...
  1073741824     268435456     float     sum     6050.0  177.48  332.77     6200.0  173.18  324.72

Without the two settings the same test gave less than half of that on these nodes:

  1073741824     268435456     float     sum    13000.0   82.60  154.87    14000.0   76.70  143.81
  ...
  1073741824     268435456     float     sum    15000.0   71.58  134.22    13500.0   79.54  149.13
"""


def read_text(tmp_path: Path, lines: list[str]) -> tuple[CollectiveRun, ...]:
    path = tmp_path / "job.log"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read(open_inputs([str(path)]), workers=1).runs


def numbers(run: CollectiveRun) -> list[tuple[int, str, float | None, float | None, str | None]]:
    return [(p.size_bytes, p.placement, p.time_us, p.busbw_gbs, p.doubt) for p in run.points]


@pytest.mark.parametrize(
    "prefix",
    [
        "[1,0]<stdout>:",
        "0: ",
        "2026-03-04T05:06:07.123456789Z ",
        "gpu-01: ",
        "[pod/launcher-x2x/main] ",
        "\x1b[32m",
        "> ",
    ],
)
def test_prefixes_are_no_numbers(tmp_path: Path, prefix: str) -> None:
    (plain,) = read_text(tmp_path, LINES)
    (prefixed,) = read_text(tmp_path, [prefix + line for line in LINES])
    assert numbers(prefixed) == numbers(plain)
    assert prefixed.average_busbw_gbs == plain.average_busbw_gbs
    assert prefixed.devices[9].host == "10-0-1-8"


def test_two_tagged_streams_line_by_line(tmp_path: Path) -> None:
    other = render(sweep("alltoall"), "2.17.9")
    mixed = [
        line
        for pair in zip(LINES, other, strict=True)
        for line in (f"[1,0]<stdout>:{pair[0]}", f"[2,0]<stdout>:{pair[1]}")
    ]
    runs = read_text(tmp_path, mixed)
    assert {(run.collective, run.rows, run.concluded) for run in runs} == {
        ("all_reduce", 11, True),
        ("alltoall", 11, True),
    }
    assert not [point for run in runs for point in run.points if point.doubt]


def test_tags_where_the_program_flushes_inside_a_line() -> None:
    rows = []
    for row in render_rows(sweep(), "2.13.4"):
        cells = row.split()
        parts = ["  ".join(cells[:5]), "  ".join(cells[5:9]), "  ".join(cells[9:])]
        rows.append("[1,0]<stdout>:    ".join(parts))
    run = one_run([*render_header(sweep(), "2.13.4"), *rows])
    assert (run.rows, {point.doubt for point in run.points}) == (11, {None})


def test_locations_of_developer_builds_are_no_cells() -> None:
    run = one_run([f"run(), common.cu:{1000 + index}, {line}" for index, line in enumerate(LINES)])
    assert (run.rows, run.concluded, len(run.devices)) == (11, True, 16)


def test_rows_behind_a_sentence_are_another_table_and_elisions_are_kept() -> None:
    first, second = parse(SHORT)[0]
    assert (first.rows, second.rows) == (2, 2)
    assert (first.columns[:4], second.columns) == (("size", "count", "type", "redop"), ())
    assert [len(run.elided) for run in (first, second)] == [1, 1]
    assert {run.collective for run in (first, second)} == {"all_reduce"}
    assert second.caption == "Without the two settings the same test gave less than half of that on these nodes:"
    assert {point.doubt for run in (first, second) for point in run.points} == {None}


def test_picked_rows_under_captions_are_one_table_each() -> None:
    rows = render_rows(sweep(), "2.13.4")[-3:]
    runs, _ = parse(["=== 1 node ===", *rows, "=== 2 nodes ===", *rows])
    assert [(run.caption, run.rows) for run in runs] == [("=== 1 node ===", 3), ("=== 2 nodes ===", 3)]


def test_header_without_hash_and_units_in_the_names() -> None:
    text = """
size         count         type   redop  time(ms)  algbw(GB/s)  busbw(GB/s)
1048576        262144       float   sum     0.05243     20.00       35.00
1073741824   268435456      float   sum     5.36871    200.00      350.00
# Avg bus bandwidth: 192.5 GB/s
"""
    run = one_run(text)
    assert [point.time_us for point in run.points] == [pytest.approx(52.43), pytest.approx(5368.71)]
    assert run.average_busbw_gbs == 192.5
    assert {point.doubt for point in run.points} == {None}


def test_counts_in_exponent_form() -> None:
    row = "  8589934592  2.15e+9  float  sum  -1  42949.7  200.00  375.00  0  43000.0  199.77  374.57  0"
    run = one_run([*render_header(sweep(), "2.13.4"), row])
    assert [(point.count, point.doubt) for point in run.points] == [(2150000000, None)] * 2


@pytest.mark.parametrize(
    "text",
    [
        'echo "#       size         count      type   redop    root     time   algbw   busbw #wrong"',
        "RESULT=$(./all_reduce_perf -b 8G -e 8G -g 1 | tail -1 | awk '{print $12}')",
        "busbw is algbw times a factor, see the table in section 3.",
        "65536      5000             391.31             391.28               0.746312",
        "GPU0    GPU1    NIC0    busbw",
    ],
)
def test_talk_about_tables_is_no_table(text: str) -> None:
    assert parse(text) == ([], [])


def test_a_table_of_another_program_leaves_no_empty_run() -> None:
    assert parse(
        "size(B)  count  type  scope  latency(us)  algbw(GB/s)  busbw(GB/s)\n32  8  32-bit  warp  9.1  0.0  0.0\n"
    ) == (
        [],
        [],
    )


def test_device_lists_that_were_cut_say_so() -> None:
    cut = [line for line in LINES if "Rank" not in line or line.split()[2] in {"0", "15"}]
    run = one_run(cut)
    assert (len(run.devices), run.devices_elided) == (2, True)
    dots = [line for line in LINES if "Rank" not in line]
    at = dots.index("# Using devices") + 1
    assert one_run([*dots[:at], "...", *dots[at:]]).devices_elided


def test_an_averages_footer_alone_is_a_run_without_rows() -> None:
    run = one_run(
        [
            "# Out of bounds values : 0 OK",
            "# Avg bus bandwidth    : 13.5 ",
            "# Collective test concluded: sendrecv_perf",
        ]
    )
    assert (run.rows, run.average_busbw_gbs, run.collective, run.concluded) == (0, 13.5, "sendrecv", True)
