"""Tables of settings of many nodes, in the forms in which scripts print them."""

from __future__ import annotations

import pytest
from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from text_findings import said

from slowlink.model.job import Observation
from slowlink.parsers.host import setting_tables
from slowlink.parsers.host.setting_tables import PARSER

NODES = ["s1", "s2", "s3", "s4", "s5", "s6"]
KEYS = {
    "kernel": ["5.15.0-122"] * 6,
    "ofed": ["24.04-0.7.0.0"] * 6,
    "vm.nr_hugepages": ["0", "0", "0", "0", "65536", "0"],
    "transparent_hugepage": [*["always [madvise] never"] * 4, "[always] madvise never", "always [madvise] never"],
    "uptime": ["1 day", "2 days", "3 days", "4 days", "5 days", "6 days"],
    "driver": ["550.90.07"] * 5 + ["-"],
}
ODD = (
    "s5 says 'vm.nr_hugepages 65536', while 5 nodes say '0'; "
    "'transparent_hugepage [always] madvise never', while 5 nodes say 'always [madvise] never'"
)


def across(apart: str, corner: str = "key") -> str:
    rows = [[corner, *NODES], *([key, *values] for key, values in KEYS.items())]
    if apart == "  ":
        return "".join("  ".join(cell.ljust(24) for cell in row).rstrip() + "\n" for row in rows)
    if apart == "|":
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([lines[0], "|---" * 7 + "|", *lines[1:]]) + "\n"
    return "".join(apart.join(row) + "\n" for row in rows)


def down(apart: str) -> str:
    rows = [["node", *KEYS], *([node, *(values[n] for values in KEYS.values())] for n, node in enumerate(NODES))]
    return "".join(apart.join(cell.ljust(24) for cell in row).rstrip() + "\n" for row in rows)


def cells(text: str) -> list[tuple[str, str, str | None]]:
    return [(r.subject, r.value, r.host) for r in feed(PARSER, text.splitlines()) if isinstance(r, Observation)]


@pytest.mark.parametrize(
    "text",
    [
        across("  "),
        across("  ", "setting"),
        across("  ", ""),
        across("|"),
        across(","),
        across("\t"),
        down("  "),
        down("|"),
    ],
    ids=["blanks", "another word", "no word", "Markdown", "CSV", "tabs", "nodes down", "nodes down, bars"],
)
def test_the_odd_node_is_named(text: str) -> None:
    assert [found[3] for found in said("node-lines-differ", text)] == [ODD]


def test_the_sample() -> None:
    found = cells(sample_in(setting_tables.__doc__ or ""))
    assert found[2] == ("driver", "535.183.01", "n03")
    assert len(found) == 6


@pytest.mark.parametrize(
    "text",
    [
        across("  ").replace("65536", "0    ").replace("[always] madvise never", "always [madvise] never"),
        "test      s1     s2     s3\nkernel    PASS   PASS   FAIL\ndriver    PASS   PASS   PASS\n",
        "size      s1     s2     s3\n1048576   12.1   12.2   9.7\n2097152   13.1   13.2   8.9\n",
        "key       gpu0   gpu1   gpu2\ndriver    550    550    535\nbios      1      1      2\n",
        "node   state   cpus   jobs\ns1     idle    96     0\ns2     idle    96     0\ns3     alloc   96     1\n",
    ],
    ids=["alike", "checks", "measurements", "GPUs", "a scheduler's list"],
)
def test_no_node_is_odd_elsewhere(text: str) -> None:
    assert said("node-lines-differ", text) == []


def test_a_governor_that_is_wrong_on_all_nodes_alike() -> None:
    text = "key           s1         s2         s3\nkernel        6.8        6.8        6.8\ncpu governor  powersave  powersave  powersave\n"
    assert [found[0] for found in said("cpu-governor-not-performance", text)] == ["cpu-governor-not-performance"]


@given(st.lists(st.sampled_from(across("  ").splitlines()) | st.text(max_size=60)))
def test_any_text_gives_a_result(lines: list[str]) -> None:
    feed(PARSER, lines)
