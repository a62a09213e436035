"""Matrices of node pairs, in the forms in which people bring them."""

from __future__ import annotations

import pytest
from docstring_samples import sample_in
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.model.benchmark import PairTable
from slowlink.parsers.benchmarks import pair_matrix
from slowlink.parsers.reading.read import read


def tables(text: str) -> list[PairTable]:
    return list(read([Input("pairs.txt", None, [text.encode("utf-8", "replace")])], workers=1).pair_tables)


def told(text: str) -> list[tuple[str, str, float]]:
    return [(row.a, row.b, row.amount) for table in tables(text) for row in table.rows]


MARKDOWN = sample_in(pair_matrix.__doc__ or "")
PAIRS = snapshot(
    [
        ("hx01", "hx02", 186.6),
        ("hx01", "hx03", 187.6),
        ("hx02", "hx01", 186.6),
        ("hx02", "hx03", 95.0),
        ("hx03", "hx01", 187.5),
        ("hx03", "hx02", 94.8),
    ]
)


def test_a_table_in_markdown() -> None:
    assert told(MARKDOWN) == PAIRS


@pytest.mark.parametrize("apart", [",", ";", "\t", "   ", " | "])
def test_other_ways_to_part_columns(apart: str) -> None:
    rows = [["node", "hx01", "hx02", "hx03"], ["hx01", "-", "186.6", "187.6"]]
    rows += [["hx02", "186.6", "x", "95.0"], ["hx03", "187.5", "94.8", "n/a"]]
    assert told("\n".join(map(apart.join, rows)) + "\n") == PAIRS


@pytest.mark.parametrize("prefix", ["h", "a", "b"])
def test_names_of_one_letter_are_nodes_where_they_are_counted_beyond_gpu_models(prefix: str) -> None:
    names = [f"{prefix}{number:02}" for number in range(8, 13)]
    rows = [[name, *("-" if name == other else "366.1" for other in names)] for name in names]
    assert len(told("\n".join(map("  ".join, [["   ", *names], *rows])) + "\n")) == 20


def test_a_table_of_gpu_models_is_none_of_nodes() -> None:
    assert told("      H100 H200 B200\nH100  -  12.1 13.2\nH200  12.1 -  14.3\nB200 13.2 14.3 -\n") == []


@pytest.mark.parametrize("half", ["upper", "upper without diagonal", "lower", "lower without diagonal"])
def test_one_half_alone(half: str) -> None:
    names = ["hx01", "hx02", "hx03", "hx04"]
    diagonal = "without" not in half
    rows = []
    for at, name in enumerate(names):
        begin, end = (at, 4) if half.startswith("upper") else (0, at + 1)
        others = [other for other in names[begin:end] if diagonal or other != name]
        rows.append([name, *("-" if other == name else f"{name[-1]}{other[-1]}.5" for other in others)])
    found = {frozenset((a, b)): amount for a, b, amount in told("\n".join(map("  ".join, [["    ", *names], *rows])))}
    assert len(found) == 6
    assert found[frozenset(("hx02", "hx04"))] in (24.5, 42.5)


def test_a_diagonal_that_is_left_blank() -> None:
    assert told("      hx01  hx02  hx03\nhx01        186.6 187.6\nhx02  186.6       95.0\nhx03  187.5 94.8\n") == PAIRS
    assert told(",hx01,hx02,hx03\nhx01,,186.6,187.6\nhx02,186.6,,95.0\nhx03,187.5,94.8,\n") == PAIRS


def test_units_in_the_cells_and_dots_for_no_number() -> None:
    text = MARKDOWN.replace("-|1", ".|1").replace("94.8", "94.8GB/s")
    (table,) = tables(f"latency and more\n{text}")
    assert (table.unit, table.told, len(table.rows)) == ("GB/s", True, 6)


def test_the_line_above_tells_the_unit() -> None:
    (table,) = tables(f"busbw of pairs in GB/s\n{MARKDOWN}")
    assert (table.unit, table.told) == ("GB/s", True)
    assert tables(f"latency of pairs in us\n{MARKDOWN}") == []


def test_pairs_that_failed_are_kept_apart() -> None:
    (table,) = tables(MARKDOWN.replace("94.8", "FAILED"))
    assert [(failed.a, failed.b) for failed in table.failed] == [("hx03", "hx02")]
    assert len(table.rows) == 5


@pytest.mark.parametrize(
    "text",
    [
        MARKDOWN.replace("hx", "mlx5_"),
        MARKDOWN.replace("hx0", "GPU"),
        "| |hx01|hx02|hx03|\n|hx01|-|1|2|\n|hx02|1|-|3|\n|hy03|2|3|-|\n",
        "hx01 hx02 hx03\nhx01 up 3 days\n",
        "hx01 12 13 14\nhx02 12 13 14\nhx03 12 13 14\n",
    ],
    ids=["HCAs", "GPUs", "two rows", "a list", "no heading"],
)
def test_what_is_no_matrix_of_nodes(text: str) -> None:
    assert told(text) == []


@given(st.text(), st.lists(st.text(alphabet="hx01|-, .9\n", max_size=40), max_size=6))
def test_any_text_is_read(text: str, rows: list[str]) -> None:
    tables(MARKDOWN[:60] + "\n".join(rows) + text)
