"""Metrics of HCA ports from node_exporter."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.catalog.attributes import all_attributes
from slowlink.model.state import Reading
from slowlink.parsers.rdma.node_exporter_infiniband import COUNTERS, PARSER

OUTPUT = """\
# HELP node_infiniband_link_downed_total Number of times the link failed to recover from an error state and went down
# TYPE node_infiniband_link_downed_total counter
node_infiniband_link_downed_total{device="mlx5_0",port="1"} 2
node_infiniband_port_data_received_bytes_total{device="mlx5_0",port="1"} 1.884894436e+12
node_infiniband_rate_bytes_per_second{device="mlx5_0",port="1"} 5e+10
node_infiniband_physical_state_id{device="mlx5_0",port="1"} 2
node_infiniband_state_id{device="mlx5_0",instance="gpu07:9100",port="1"} 1
node_infiniband_legacy_data_received_bytes_total{device="mlx5_0",port="1"} 9
node_infiniband_info{board_id="MT_0000000838",device="mlx5_0",firmware_version="28.43.2026",hca_type="MT4129"} 1
node_infiniband_link_downed_total{device="mlx5_1",port="1"} NaN
"""


def readings(text: str) -> list[tuple[str, str, object, str | None]]:
    found = feed(PARSER, text.splitlines())
    return [(r.attribute, f"{r.part.kind} {r.part.name}", r.value, r.host) for r in found if isinstance(r, Reading)]


def test_states_rates_and_counters_are_those_of_the_kernel() -> None:
    assert readings(OUTPUT) == [
        ("port-link-downed", "port mlx5_0/1", 2, None),
        ("port-rcv-data", "port mlx5_0/1", 1884894436000, None),
        ("port-rate", "port mlx5_0/1", 400.0, None),
        ("port-physical-state", "port mlx5_0/1", "Polling", None),
        ("port-state", "port mlx5_0/1", "Down", "gpu07"),
        ("hca-board-id", "hca mlx5_0", "MT_0000000838", None),
        ("hca-firmware", "hca mlx5_0", "28.43.2026", None),
        ("hca-model", "hca mlx5_0", "MT4129", None),
    ]


def test_an_address_names_no_node() -> None:
    ((*_, host),) = readings('node_infiniband_state_id{device="mlx5_0",instance="10.1.0.4:9100",port="1"} 4')
    assert host is None


@pytest.mark.parametrize("name", COUNTERS)
def test_every_counter_is_in_the_catalogue(name: str) -> None:
    assert COUNTERS[name] in all_attributes()
    assert readings(f'node_infiniband_{name}{{device="mlx5_0",port="1"}} 7') == [
        (COUNTERS[name], "port mlx5_0/1", 7, None)
    ]


def test_the_scan_sees_shapes_only() -> None:
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in OUTPUT.splitlines())


@given(st.lists(st.sampled_from(OUTPUT.splitlines()) | st.text()))
def test_any_lines_are_survived(lines: list[str]) -> None:
    assert all(part.startswith(("port ", "hca ")) for _, part, _, _ in readings("\n".join(lines)))
