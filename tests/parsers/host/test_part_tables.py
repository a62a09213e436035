"""Tables of nodes and their parts that people and scripts make, in nobody's format."""

from __future__ import annotations

import pytest
from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_findings import diagnoses_of

from slowlink.model.job import Observation
from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.host import part_tables
from slowlink.parsers.host.part_tables import DOCUMENT, PARSER

NODES = ("gx01", "gx02", "gx03", "gx04")
HCAS = ("mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3")


def told(text: str) -> list[tuple[str, str, str | None, object]]:
    """(attribute or kind, part or subject, node, value)."""
    parser, before = PARSER(), ""
    for number, line in enumerate(text.splitlines(), 1):
        before = "" if parser.feed(Line("t", number, line, before=before)) is not Use.NOT_MINE else line
    return [_flat(record) for record in parser.finish()]


def of_records(value: object) -> list[tuple[str, str, str | None, object]]:
    assert DOCUMENT.wants_document(value)
    return [_flat(record) for record in DOCUMENT().read(value, "t", 1)]


def _flat(record: Reading | Observation) -> tuple[str, str, str | None, object]:
    if isinstance(record, Reading):
        return record.attribute, record.part.name, record.host, record.value
    return record.kind, record.subject, record.host, record.value


def causes(text: str) -> list[tuple[str, str]]:
    return [(found.cause, found.suspects[0].name) for found in diagnoses_of(text) if found.severity == "error"]


def side_by_side(odd: str, usual: str, apart: str, corner: str = "node") -> str:
    """A row a node, of which gx03 has one odd HCA."""
    rows = [[corner, *HCAS]]
    rows += [[node, *(odd if (node, hca) == ("gx03", "mlx5_2") else usual for hca in HCAS)] for node in NODES]
    if apart == "|":
        lines = ["| " + " | ".join(row) + " |" for row in rows]
        return "\n".join([lines[0], "|---" * 5 + "|", *lines[1:]]) + "\n"
    return "".join(apart.join(row) + "\n" for row in rows)


def test_the_sample() -> None:
    assert told(sample_in(part_tables.__doc__ or "")) == snapshot(
        [
            ("port-rate", "mlx5_0/1", "gx01", 400.0),
            ("port-state", "mlx5_0/1", "gx01", "Active"),
            ("hca-firmware", "mlx5_0", "gx01", "28.39.1002"),
            ("port-rate", "mlx5_1/1", "gx01", 200.0),
            ("port-state", "mlx5_1/1", "gx01", "Active"),
            ("hca-firmware", "mlx5_1", "gx01", "28.39.1002"),
        ]
    )


@pytest.mark.parametrize("apart", ["   ", "|", ",", "\t", ";"])
@pytest.mark.parametrize(
    ("odd", "usual", "cause"),
    [
        ("200", "400", "port-rate-low"),
        ("200 Gb/sec (2X NDR)", "400 Gb/sec (4X NDR)", "port-rate-low"),
        ("HDR", "NDR", "port-rate-low"),
        ("100G", "200G", "port-rate-low"),
        ("down", "up", "port-down"),
        ("D", "A", "port-down"),
        ("Init/LinkUp", "Active/LinkUp", "subnet-manager-missing"),
    ],
)
def test_one_odd_value_among_many_is_found(odd: str, usual: str, cause: str, apart: str) -> None:
    assert causes(side_by_side(odd, usual, apart)) == [(cause, "gx03 mlx5_2/1")]
    assert causes(side_by_side(usual, usual, apart)) == []


def test_a_heading_may_stand_over_the_parts_alone() -> None:
    rows = side_by_side("down", "up", "  ").splitlines()
    assert causes("\n".join(["      mlx5_0 mlx5_1 mlx5_2 mlx5_3", *rows[1:]]) + "\n") == [
        ("port-down", "gx03 mlx5_2/1")
    ]


def test_nodes_may_stand_side_by_side() -> None:
    text = "| HCA | n1 | n2 | n3 |\n|---|---|---|---|\n| mlx5_0 | NDR | NDR | NDR |\n| mlx5_4 | NDR | HDR | NDR |\n"
    assert causes(text) == [("port-rate-low", "n2 mlx5_4/1")]


@pytest.mark.parametrize(
    ("caption", "cells", "attribute"),
    [
        ("firmware of all HCAs", ("28.39.1002", "28.36.1010"), "hca-firmware"),
        ("HCA FW", ("28.39.1002", "28.36.1010"), "hca-firmware"),
        ("MTU per port", ("4096", "1024"), "port-mtu"),
        ("", ("28.39.1002", "28.36.1010"), "hca-firmware"),
    ],
)
def test_the_line_above_or_the_cells_say_what_they_are(caption: str, cells: tuple[str, str], attribute: str) -> None:
    text = f"{caption}\n" + side_by_side(cells[1], cells[0], "   ")
    assert {found[0] for found in told(text)} == {attribute}


@pytest.mark.parametrize(
    "text",
    [
        side_by_side("391.2", "390.8", "   "),  # a bandwidth: no rate that is sold
        "bandwidth by HCA\n" + side_by_side("12", "17", "   "),
        "node  loss  step\nn1    0.5   17\nn2    0.5   17\n",
        "node  status  age\nn1    Ready   17d\nn2    Ready   17d\n",
        "rank  gpu  ms\n0     0    17\n1     1    17\n",
        "layer1  gpus  2\nlayer2  gpus  3\n",
    ],
)
def test_other_tables_are_none(text: str) -> None:
    assert [found for found in told(text) if found[0] != "node-setting"] == []


def test_counts_of_nodes() -> None:
    text = "NAME         GPUS  NICs  NVLinks\n" + "".join(
        f"gke-a3-0{n}    {8 - (n == 3)}     8     144\n" for n in (1, 2, 3, 4)
    )
    assert told(text)[:3] == snapshot(
        [
            ("gpu-count", "", "gke-a3-01", 8),
            ("hca-count", "", "gke-a3-01", 8),
            ("counted-nvlinks", "NVLinks", "gke-a3-01", "144"),
        ]
    )
    assert causes(text) == [("gpu-missing", "gke-a3-03")]
    assert sorted(causes(text.replace("144\n", "126\n", 1))) == [
        ("gpu-missing", "gke-a3-03"),
        ("nvlink-down", "gke-a3-01"),
    ]


def test_a_number_below_the_name_of_a_part_is_a_count_where_each_node_has_one() -> None:
    text = "NODE     READY  GPU  RDMA\nip-10-1  True   8    63\nip-10-2  True   8    63\nip-10-3  True   4    63\n"
    assert causes(text) == [("gpu-missing", "ip-10-3")]


def test_links_of_gpus() -> None:
    sound = "GPU  Gen(cur/max)  Width(cur/max)\n" + "".join(f"{n}    5/5           16/16\n" for n in range(8))
    assert causes(sound) == []
    assert causes(sound.replace("2    5/5           16/16", "2    5/5           8/16")) == [("pcie-link-degraded", "2")]
    across = "      " + "  ".join(f"GPU{n}" for n in range(8)) + "\n"
    across += "".join(f"gx{n}   {'   '.join(['x16'] * 8)}\n" for n in (1, 2, 3))
    assert causes(across) == []
    assert causes(across.replace("x16\n", "x8\n", 1)) == [("pcie-link-degraded", "gx1 7")]


def test_records_of_nodes() -> None:
    records = [{"hostname": f"t{n}", "gpu_count": 8, "nvlink_active": 144, "kernel": "5.15.0-122"} for n in (1, 2)]
    assert of_records(records)[:3] == snapshot(
        [
            ("gpu-count", "", "t1", 8),
            ("counted-nvlinks", "nvlink_active", "t1", "144"),
            ("kernel-release", "", "t1", "5.15.0-122"),
        ]
    )
    by_name = {f"gpu-{n}": {"gpu_count": 8, "mlx5_2": {"state": "Active", "rate": 400}} for n in (1, 2)}
    assert of_records(by_name)[1:3] == snapshot(
        [("port-state", "mlx5_2/1", "gpu-1", "Active"), ("port-rate", "mlx5_2/1", "gpu-1", 400.0)]
    )
    listed = {"host": "r1n1", "ports": [{"name": "mlx5_0", "state": "DOWN", "rate": "NDR"}]}
    assert of_records(listed) == snapshot(
        [("port-state", "mlx5_0/1", "r1n1", "Down"), ("port-rate", "mlx5_0/1", "r1n1", 400.0)]
    )


@pytest.mark.parametrize(
    "value",
    [
        {"node": "n1", "gpus": 8, "step": 5},
        {"host": "n1", "message": "8 gpus", "driver": "550.1"},
        {"node": "n1", "loss": 0.5},
        {"gpus": 8},
        [],
        [{"node": "n1", "gpus": 8}, 17],
        {"a1": {"x": 1}, "a2": {"x": 2}},
    ],
)
def test_other_records_are_none(value: object) -> None:
    assert not DOCUMENT.wants_document(value)


CELL = st.sampled_from(["400", "up", "down", "28.39.1002", "x16", "-", "", "NDR", "Active/LinkUp", "7/8", "word"])


@given(
    st.lists(st.sampled_from(["node", "mlx5_0", "GPU", "GPUs", "rate", "state", "Gen", "fw", "x", ""]), max_size=5),
    st.lists(st.tuples(st.sampled_from(["gx01", "gx02", "0", "mlx5_1", "-"]), st.lists(CELL, max_size=5)), max_size=6),
    st.sampled_from(["  ", " | ", ",", "\t"]),
)
def test_any_table_gives_readings_of_the_catalogue(
    titles: list[str], rows: list[tuple[str, list[str]]], apart: str
) -> None:
    lines = [apart.join(titles), *(apart.join([name, *cells]) for name, cells in rows)]
    for record in feed(PARSER, lines):
        assert isinstance(record, Reading | Observation)
        assert record.ref.line > 1


@given(st.text(alphabet="node gpumlx5_0123|,.:/x\t-", max_size=80))
def test_what_is_wanted_does_not_depend_on_digits(text: str) -> None:
    zeroed = "".join("0" if char.isdecimal() else char for char in text)
    assert PARSER.wants(text) == PARSER.wants(zeroed)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 500) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["node", "gpus", "hcas", "mlx5_0", "rate", "name", "n1", "n2"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_record_is_borne(value: object) -> None:
    if DOCUMENT.wants_document(value):
        for record in DOCUMENT().read(value, "t", 1):
            assert isinstance(record, Reading | Observation)
