"""Headings of nodes in no tool's form: where two siblings stand above output of tools, each has its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_findings import said

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.context.node_sections import NodeSections
from slowlink.parsers.forms.fronts.node_headings import heading_of, kind_of_name
from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.reading.read import read


def port(mtu: int) -> str:
    return (
        "hca_id:\tmlx5_0\n\ttransport:\t\t\tInfiniBand (0)\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n"
        f"\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t{mtu} ({5 if mtu == 4096 else 3})\n"
        "\t\t\tlink_layer:\t\tEthernet\n"
    )


def mtus(text: str) -> list[tuple[str | None, object]]:
    state = assemble(read([Input("t", None, [text.encode()])], workers=1)).state
    assert state is not None
    return [(r.host, r.value) for r in state.readings["port-mtu"].all]


@pytest.mark.parametrize(
    ("first", "second", "hosts"),
    [
        ("===== roce-a =====", "===== roce-b =====", ("roce-a", "roce-b")),
        ("---- node3 ----", "---- node4 ----", ("node3", "node4")),
        ("## node3", "## node4", ("node3", "node4")),
        ("[node3]", "[node4]", ("node3", "node4")),
        ("Node: node3", "Node: node4", ("node3", "node4")),
        ("== p5-dy-a-1", "== p5-dy-a-2", ("p5-dy-a-1", "p5-dy-a-2")),
        ("### host node3:", "### host node4:", ("node3", "node4")),
        (">>> gpu07.lab <<<", ">>> gpu08.lab <<<", ("gpu07.lab", "gpu08.lab")),
        ("=== node3 (10.0.0.3) ===", "=== node4 (10.0.0.4) ===", ("node3", "node4")),
        ("node3:", "node4:", ("node3", "node4")),
        ("=== node3: ibv_devinfo ===", "=== node4: ibv_devinfo ===", ("node3", "node4")),
        ("ibv_devinfo on node3:", "ibv_devinfo on node4:", ("node3", "node4")),
        ("## node3, before the run", "## node4, before the run", ("node3", "node4")),
    ],
)
def test_each_node_has_the_output_below_its_heading(first: str, second: str, hosts: tuple[str, str]) -> None:
    assert mtus(f"{first}\n{port(4096)}\n{second}\n{port(1024)}") == [(hosts[0], 4096), (hosts[1], 1024)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("===== ibstat =====", "===== dmesg ====="),
        ("== run1 ==", "== run2 =="),
        ("## mlx5_0", "## mlx5_1"),
        ("[rank0]", "[rank1]"),
        ("==== GPU0 ====", "==== GPU1 ===="),
        ("enp1s0f0np0:", "enp1s0f1np1:"),
        ("===== node3 =====", "---- node4 ----"),
        ("===== node3 =====", "===== node3 ====="),
        ("===== head =====", "===== node4 ====="),
    ],
)
def test_other_headings_name_no_node(first: str, second: str) -> None:
    assert mtus(f"{first}\n{port(4096)}\n{second}\n{port(1024)}") == [("t", 4096), ("t", 1024)]


def test_headings_that_no_output_follows_name_no_node() -> None:
    assert mtus(f"## node3\nwords\n## node4\nwords\n## words\n{port(4096)}") == [("t", 4096)]


def test_a_summary_is_not_of_the_last_node() -> None:
    text = f"== node3 ==\n{port(4096)}== node4 ==\n{port(4096)}== summary ==\n{port(1024)}"
    assert mtus(text) == [("node3", 4096), ("node4", 4096), ("t", 1024)]


def test_rules_compare_the_nodes() -> None:
    text = f"===== roce-a =====\n{port(4096)}===== roce-b =====\n{port(1024)}"
    assert [entry[3] for entry in said("mtu-mismatch", text)] == [
        "roce-b: mlx5_0 uses MTU 1024 while most other nodes have 4096"
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("node-12", "node-0"),
        ("h01", "h0"),
        ("a12", "a0"),
        ("H100", None),
        ("a10", None),
        ("roce-a", "roce-?"),
        ("p5-dy-a-1", "p0-dy-?-0"),
        ("summary", None),
        ("GPU3", None),
    ],
)
def test_siblings_differ_in_digits_or_in_one_letter(name: str, kind: str | None) -> None:
    assert kind_of_name(name) == kind


@given(st.text(max_size=60) | st.sampled_from(["== a1 ==", "[x-1]", "node: b2", "-- c3", "d4:"]))
def test_any_line_is_asked_alike_whatever_its_digits(text: str) -> None:
    assert NodeSections.wants(text) == NodeSections.wants(shape_of(text).decode()) or heading_of(text) is None
