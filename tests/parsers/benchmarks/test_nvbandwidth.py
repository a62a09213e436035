"""nvbandwidth: text and JSON with its quirks."""

from __future__ import annotations

import re
from typing import Any

import pytest
from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.model.source import Line
from slowlink.parsers.benchmarks.nvbandwidth import DOCUMENT, PARSER
from slowlink.parsers.forms.interface import Use

TEXT = """\
nvbandwidth Version: v0.8
Built from Git version: v0.8-1-gabc

CUDA Runtime Version: 12080
CUDA Driver Version: 12080
Driver Version: 570.86

node1
Device 0: NVIDIA H100 (00000000:1b:00)
Device 1: NVIDIA H100 (00000000:43:00)

Running host_to_device_memcpy_ce.
memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0     55.25     54.75

SUM host_to_device_memcpy_ce 110.00

Running device_to_device_bidirectional_memcpy_read_ce.
memcpy CE GPU(row) <-> GPU(column) Read1 bandwidth (GB/s)
           0         1
 0       N/A    350.25
 1    349.75       N/A

SUM device_to_device_bidirectional_memcpy_read_ce_read1 700.00

memcpy CE GPU(row) <-> GPU(column) Total bandwidth (GB/s)
           0         1
 0       N/A    700.25
 1    699.75       N/A

SUM device_to_device_bidirectional_memcpy_read_ce_total 1400.00

Running host_device_latency_sm.
memory CPU(row) <-> GPU(column) latency (ns)
           0         1
 0    801.10    802.20

SUM host_device_latency_sm 1603.30

Running multinode_bisect_write_ce.
Waived:
NOTE: The reported results may not reflect the full capabilities of the platform.
"""


def test_text() -> None:
    first, read, total, latency, waived = feed(PARSER, TEXT.splitlines())
    assert (first.name, first.unit, first.status, first.total) == ("host_to_device_memcpy_ce", "GB/s", "Passed", 110.0)
    assert first.matrix == ((55.25, 54.75),)
    assert first.description == "memcpy CE CPU(row) -> GPU(column) bandwidth"
    assert first.ref.line == 12
    assert read.matrix == ((None, 350.25), (349.75, None))
    assert (read.name.endswith("_read1"), total.name.endswith("_total")) == (True, True)
    assert (latency.unit, latency.matrix) == ("ns", ((801.1, 802.2),))
    assert (waived.status, waived.matrix, waived.total) == ("Waived", (), None)


def test_cut_short_keeps_what_is_there() -> None:
    (cut,) = feed(PARSER, TEXT.splitlines()[:15])
    assert (cut.matrix, cut.total, cut.status) == (((55.25, 54.75),), None, "Passed")


def test_test_that_never_printed_is_running() -> None:
    (cut,) = feed(PARSER, TEXT.splitlines()[:12])
    assert (cut.matrix, cut.status) == ((), "Running")


def test_rows_outside_a_test_are_nobodys() -> None:
    assert PARSER().feed(Line("t", 1, " 0     55.25     54.75")) is Use.NOT_MINE


def case(status: str, **more: Any) -> dict[str, Any]:
    return {"name": "device_to_device_memcpy_read_ce", "status": status, **more}


def test_json() -> None:
    matrix = [["N/A", "276.07"], ["275.5", "N/A"]]
    description = "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)"
    root = {
        "nvbandwidth": {
            "testcases": [case("Passed", bandwidth_matrix=matrix, sum=551.57, bandwidth_description=description)]
        }
    }
    assert DOCUMENT.wants_document(root)
    (read,) = DOCUMENT().read(root, "x.json", 3)
    assert read.matrix == ((None, 276.07), (275.5, None))
    assert (read.status, read.total, read.unit, read.ref.line) == ("Passed", 551.57, "GB/s", 3)


def test_json_test_that_failed_is_one_test() -> None:
    root = {"nvbandwidth": {"testcases": [case("Running"), case("Error")], "error": "x"}, "testcases": None}
    assert [read.status for read in DOCUMENT().read(root, "x", 1)] == ["Error"]


@given(st.lists(st.lists(st.one_of(st.none(), st.floats(0, 9999)), min_size=3, max_size=3), min_size=1, max_size=3))
@settings(max_examples=50, deadline=None)
def test_rendered_matrix_is_read_back(matrix: list[list[float | None]]) -> None:
    rows = [
        f"{n:2d}" + "".join("       N/A" if x is None else f" {x:9.2f}" for x in row) for n, row in enumerate(matrix)
    ]
    lines = [
        "Running a_test_sm.",
        "copy GPU(row) bandwidth (GB/s)",
        "           0         1         2",
        *rows,
        "",
        "SUM a_test_sm 1.5",
    ]
    (read,) = feed(PARSER, lines)
    assert read.total == 1.5
    for got, row in zip(read.matrix, matrix, strict=True):
        assert got == pytest.approx([None if x is None else round(x, 2) for x in row], abs=0.011)


@given(st.lists(st.one_of(st.text(max_size=40), st.sampled_from(TEXT.splitlines()))))
@settings(max_examples=50, deadline=None)
def test_no_text_raises(texts: list[str]) -> None:
    assert all(PARSER.wants(text) == PARSER.wants(re.sub(r"\d", "0", text)) for text in texts)
    feed(PARSER, texts)


@given(
    st.recursive(
        st.none() | st.integers() | st.floats() | st.text(max_size=5), lambda x: st.lists(x, max_size=3), max_leaves=9
    )
)
@settings(max_examples=50, deadline=None)
def test_no_document_raises(value: Any) -> None:
    list(DOCUMENT().read(value, "x", 1))
    list(DOCUMENT().read({"nvbandwidth": value}, "x", 1))
    list(DOCUMENT().read({"nvbandwidth": {"testcases": value}}, "x", 1))
    list(
        DOCUMENT().read(
            {"nvbandwidth": {"testcases": [{"name": "x", "bandwidth_matrix": value, "sum": value}]}}, "x", 1
        )
    )
