"""Blocks whose lines ``paste``, ``xargs`` or ``tr`` made one."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.forms.keyed_blocks import KeyedBlocks
from slowlink.parsers.rdma.ibstat import Ibstat
from slowlink.parsers.rdma.ibstatus import Ibstatus
from slowlink.parsers.rdma.ibv_devinfo import IbvDevinfo
from slowlink.workflows.analyze import analyze

STATES = (
    ("Active", "LinkUp", "400"),
    ("Down", "Polling", "10"),
    ("Down", "Disabled", "40"),
    ("Active", "LinkUp", "100"),
)


def block(number: int, state: tuple[str, str, str], layer: str, *, port: bool) -> list[str]:
    logical, physical, rate = state
    return [
        f"CA 'mlx5_{number}'",
        *(["\tPort 1:"] if port else []),
        f"\t\tState: {logical}",
        f"\t\tPhysical state: {physical}",
        f"\t\tRate: {rate}",
        f"\t\tLink layer: {layer}",
    ]


def told(parser: type[KeyedBlocks], lines: list[str]) -> list[tuple[str, str, object]]:
    return [(found.attribute, found.part.name, found.value) for found in feed(parser, lines)]


@given(
    st.lists(st.tuples(st.sampled_from(STATES), st.sampled_from(["InfiniBand", "Ethernet"])), min_size=1, max_size=5),
    st.sampled_from(["\t", " ", "  ", ","]),
    st.booleans(),
    st.booleans(),
)
def test_a_pasted_block_says_what_the_block_says(
    ports: list[tuple[tuple[str, str, str], str]], glue: str, port: bool, stripped: bool
) -> None:
    blocks = [block(number, *each, port=port) for number, each in enumerate(ports)]
    if stripped:
        blocks = [[line.strip() for line in lines] for lines in blocks]
    pasted = [glue.join(lines) for lines in blocks if not (port and glue == ",")]
    if pasted:
        assert told(Ibstat, pasted) == told(Ibstat, [line for lines in blocks for line in lines])


def test_other_tools_are_pasted_too() -> None:
    devinfo = ["hca_id:\tmlx5_2\t\tstate:\t\t\tPORT_INIT (2)\t\tactive_mtu:\t\t4096 (5)\t\tlink_layer:\t\tInfiniBand"]
    status = ["Infiniband device 'mlx5_1' port 1 status:\t\t state:\t\t 1: DOWN\t\t rate:\t\t 400 Gb/sec (4X NDR)"]
    assert told(IbvDevinfo, devinfo) + told(Ibstatus, status) == snapshot(
        [
            ("port-state", "mlx5_2/1", "Init"),
            ("port-mtu", "mlx5_2/1", 4096),
            ("port-link-layer", "mlx5_2/1", "InfiniBand"),
            ("port-state", "mlx5_1/1", "Down"),
            ("port-rate", "mlx5_1/1", 400.0),
            ("port-width", "mlx5_1/1", 4),
        ]
    )


@pytest.mark.parametrize(
    "line",
    [
        "State: Down",
        "we saw CA 'mlx5_0' go State: Down, Physical state: Disabled",
        "CA 'mlx5_0' is fine",
        "Physical state: LinkUp of what? State: unknown",
    ],
)
def test_a_sentence_is_no_pasted_block(line: str) -> None:
    assert told(Ibstat, [line]) == []


def test_a_storage_port_that_is_down_is_none_of_the_fabrics() -> None:
    up = [block(number, STATES[0], "InfiniBand", port=False) for number in range(4)]
    spare = block(4, STATES[2], "Ethernet", port=False)
    broken = block(4, STATES[1], "InfiniBand", port=False)
    texts = ["\n".join("\t".join(map(str.strip, lines)) for lines in (*up, last)) for last in (spare, broken)]
    assert [(r.verdict, [d.cause for d in r.diagnoses]) for r in (analyze(text.encode()) for text in texts)] == [
        ("healthy", []),
        ("degraded", ["port-down"]),
    ]
