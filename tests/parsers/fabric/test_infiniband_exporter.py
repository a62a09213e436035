"""Metrics of a fabric from Prometheus' exporters."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.catalog.attributes import all_attributes
from slowlink.model.state import Reading
from slowlink.parsers.fabric.infiniband_exporter import PARSER, PORT_COUNTERS

OUTPUT = """\
# HELP infiniband_hca_info Infiniband HCA information
# TYPE infiniband_hca_info gauge
infiniband_hca_info{guid="0x0c42a10300aa3001",hca="gpu07 mlx5_0",lid="41"} 1
infiniband_hca_port_symbol_error_total{guid="0x0c42a10300aa3001",port="1"} 3
infiniband_hca_port_transmit_data_bytes_total{guid="0x0c42a10300aa3001",port="1"} 1.48901607811540e+14
infiniband_switch_port_transmit_wait_total{guid="0x0c42a10300bb4002",port="17",switch="leaf03"} 812
infiniband_switch_port_link_downed_total{guid="0x0c42a10300cc4002",port="2"} 1
infiniband_switch_power_supply_status_info{guid="0x0c42a10300bb4002",psu="1",status="ERROR"} 1
infiniband_switch_fan_rpm{fan="3",guid="0x0c42a10300bb4002"} 5600
infiniband_switch_temperature_celsius{guid="0x0c42a10300bb4002"} 53
infiniband_switch_hardware_info{firmware_version="31.2014.1068",guid="0x0c42a10300bb4002",part_number="MQM9790"} 1
infiniband_exporter_collect_errors_total{collector="switch"} 0
infiniband_portxmitdata_total{component="ca",local_name="gpu08 mlx5_0",local_guid="0x0c42a10300aa3005",local_port="1"} 25
infiniband_speed{component="ca",local_name="gpu08 mlx5_0",local_guid="0x0c42a10300aa3005",local_port="1"} 106.25
infiniband_width{component="ca",local_name="gpu08 mlx5_0",local_guid="0x0c42a10300aa3005",local_port="1"} 4
"""


def readings(text: str) -> list[tuple[str, str, object]]:
    found = feed(PARSER, text.splitlines())
    return [(r.attribute, f"{r.part.kind} {r.part.name}", r.value) for r in found if isinstance(r, Reading)]


def test_ports_go_by_the_name_that_any_sample_gives() -> None:
    assert readings(OUTPUT) == [
        ("fabric-node-guid", "fabric-node gpu07 mlx5_0", "0x0c42a10300aa3001"),
        ("fabric-node-type", "fabric-node gpu07 mlx5_0", "ca"),
        ("port-symbol-errors", "fabric-port gpu07 mlx5_0/1", 3),
        ("port-xmit-data", "fabric-port gpu07 mlx5_0/1", 148901607811540),
        ("port-xmit-wait", "fabric-port leaf03/17", 812),
        ("port-link-downed", "fabric-port 0x0c42a10300cc4002/2", 1),
        ("switch-part-status", "switch-part leaf03/PSU1", "ERROR"),
        ("switch-fan-speed", "switch-part leaf03/fan#3", 5600.0),
        ("switch-temperature", "fabric-node leaf03", 53),
        ("fabric-node-firmware", "fabric-node leaf03", "31.2014.1068"),
        ("fabric-node-part-number", "fabric-node leaf03", "MQM9790"),
        ("port-xmit-data", "fabric-port gpu08 mlx5_0/1", 100),
        ("link-speed", "fabric-port gpu08 mlx5_0/1", 106.25),
        ("link-width", "fabric-port gpu08 mlx5_0/1", 4),
    ]


def test_output_that_somebody_indented_is_read() -> None:
    assert readings(OUTPUT.replace("\n", "\n\t\t")) == readings(OUTPUT)
    assert PARSER.wants("\t\t" + OUTPUT.splitlines()[-1])


@pytest.mark.parametrize("name", PORT_COUNTERS)
def test_every_counter_is_in_the_catalogue(name: str) -> None:
    assert PORT_COUNTERS[name] in all_attributes()
    assert readings(f'infiniband_hca_port_{name}{{guid="0x1",hca="gpu07 mlx5_0",port="1"}} 7') == [
        (PORT_COUNTERS[name], "fabric-port gpu07 mlx5_0/1", 7)
    ]


def test_the_scan_sees_shapes_only() -> None:
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in OUTPUT.splitlines())


@given(st.lists(st.sampled_from(OUTPUT.splitlines()) | st.text()))
def test_any_lines_are_survived(lines: list[str]) -> None:
    assert all(part.startswith(("fabric-", "switch-part ")) for _, part, _ in readings("\n".join(lines)))
