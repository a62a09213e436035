"""One name for each node and port, whichever tool prints it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.fabric import names


@pytest.mark.parametrize(
    ("description", "guid", "name"),
    [
        ("MF0;leafa:MQM9700/U1", "0xa1", "leafa"),
        ("MF0;big:MCS8500/L01/U1", "0xa1", "big/L01"),
        ("'gpu01 mlx5_0'", "0xa1", "gpu01 mlx5_0"),
        ("Quantum Mellanox Technologies", "0xa1", "0x00000000000000a1"),
        ("localhost HCA-1", "00000000000000A1", "0x00000000000000a1"),
        ("", "0xa1", "0x00000000000000a1"),
        ("localhost HCA-1", "", "localhost HCA-1"),
    ],
)
def test_a_node_goes_by_its_description_or_where_many_share_it_by_its_guid(
    description: str, guid: str, name: str
) -> None:
    assert names.node_name(description, guid) == name


@pytest.mark.parametrize(
    ("label", "node"),
    [
        ("leafa/U1/P1/1/1", "leafa"),
        ("gpu01/mlx5_0/B134D0F0/0/0/1", "gpu01 mlx5_0"),
        ("S0c42a10300aa2000/N0c42a10300aa2000/P12", "0x0c42a10300aa2000"),
        ("leafa", "leafa"),
    ],
)
def test_the_node_of_a_port_that_ibdiagnet_names(label: str, node: str) -> None:
    assert names.node_of_port_label(label) == node


@given(st.text(max_size=80), st.sampled_from(["", "0xa1"]))
def test_any_description_and_label_give_a_name(text: str, guid: str) -> None:
    assert isinstance(names.node_name(text, guid), str)
    assert isinstance(names.node_of_port_label(text), str)
