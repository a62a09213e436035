"""Tables of nodes and checks with a verdict in each cell."""

from __future__ import annotations

import pytest
from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import said

from slowlink.parsers.host import check_matrices
from slowlink.parsers.host.check_matrices import PARSER

SAMPLE = sample_in(check_matrices.__doc__ or "")


def verdicts(text: str) -> list[tuple[str, object, str | None]]:
    return [(r.part.name, r.value, r.host) for r in feed(PARSER, text.splitlines())]


def test_each_cell_is_a_test_of_its_node() -> None:
    assert verdicts(SAMPLE) == snapshot(
        [
            ("site/GPUs", "pass", "pod-01"),
            ("site/NVLink", "pass", "pod-01"),
            ("site/IB", "pass", "pod-01"),
            ("site/GPUs", "pass", "pod-02"),
            ("site/NVLink", "fail", "pod-02"),
            ("site/IB", "pass", "pod-02"),
        ]
    )


@pytest.mark.parametrize(
    "text",
    [
        "node,gpus,nvlink,ib\nn1,8,OK,OK\nn2,8,FAIL,OK\n",
        "Knoten      GPUs   NVLink   IB\nn1          8      OK       OK\nn2          8      FAIL     OK\n",
        "node\tgpus\tnvlink\tib\nn1\t8\tOK\tOK\nn2\t8\tFAIL\tOK\n",
    ],
)
def test_columns_are_split_in_many_ways(text: str) -> None:
    assert [(name.lower(), host) for name, value, host in verdicts(text) if value == "fail"] == [("site/nvlink", "n2")]


@pytest.mark.parametrize(
    "text",
    [
        "NAME     READY   STATUS\nn1       OK      OK\n",  # a program's columns
        "node   from   to\nn1     8      9\n",  # numbers alone
        "node   gpus   verdict\nn1     OK     OK\n",  # one column of verdicts is another reader's
        "rank   gpus   nvlink\n0      OK     OK\n",
        "server  gpu   rdma\nnginx   ✅    ❌\n",  # programs
    ],
)
def test_what_is_no_table_of_checks(text: str) -> None:
    assert verdicts(text) == []


def test_a_column_of_checks_with_their_verdicts() -> None:
    text = "Test            Result   Details\n--------------  ------   -------\nNVLink status   FAIL     GPU 2: link 4\nIB   PASS\n"
    assert verdicts(text) == [
        ("rows/NVLink status", "fail", None),
        ("rows/NVLink status", "GPU 2: link 4", None),
        ("rows/IB", "pass", None),
    ]
    box = "┌────┬────┐\n│ Test │ Result │\n├────┼────┤\n│ nvlink_p2p │ ✖ fail │\n│ login │ ✔ pass │\n"
    assert verdicts(box) == [("rows/nvlink_p2p", "fail", None)]


def test_a_column_of_checks_and_one_for_each_node() -> None:
    text = "Test     | gpu01 | gpu02\n---------+-------+------\nNVLink   | PASS  | FAIL\n"
    assert verdicts(text) == [("site/NVLink", "pass", "gpu01"), ("site/NVLink", "fail", "gpu02")]


def test_a_failing_cell_accuses_its_node() -> None:
    assert said("health-checks", SAMPLE) == snapshot(
        [("nvlink-down", "error", "likely", "pod-02: the site's own check: NVLink fails")]
    )


@given(st.lists(st.sampled_from([*SAMPLE.splitlines(), "| a | b |", "node  x  y", ""]), max_size=10))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for found in feed(PARSER, lines):
        assert (found.part.kind, bool(found.host)) == ("test", True)


def test_memory_and_ports_are_of_any_computer() -> None:
    table = "TEST                RESULT\nmemory bandwidth    PASS\nport scan           FAIL\n"
    assert feed(PARSER, table.splitlines()) == []
    assert len(feed(PARSER, [*table.splitlines(), "NVLink              PASS"])) == 3
