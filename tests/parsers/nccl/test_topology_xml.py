"""NCCL's topology as XML."""

from __future__ import annotations

import re

from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.state import Reading
from slowlink.parsers.nccl import topology_xml
from slowlink.parsers.nccl.topology_xml import PARSER

SAMPLE = sample_in(topology_xml.__doc__ or "")
TWO_CPUS = """\
<system version="1">
  <cpu numaid="0" affinity="ff" arch="x86_64" vendor="AuthenticAMD" familyid="175" modelid="17">
    <pci busid="0000:15:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
      <pci busid="0000:1b:00.0" class="0x030200" link_speed="32.0 GT/s PCIe" link_width="8">
        <gpu dev="3" sm="90" rank="3" gdr="1"/>
      </pci>
      <pci busid="0000:17:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
        <pci busid="0000:1c:00.0" class="0x020700" link_speed="" link_width="">
          <nic>
            <net name="mlx5_1" dev="0" speed="200000" port="1" latency="0.000000" guid="0x1" maxconn="131072" gdr="0"/>
          </nic>
        </pci>
      </pci>
    </pci>
    <pci busid="0000:25:00.0" class="0x020000" link_speed="16.0 GT/s PCIe" link_width="16">
      <nic>
        <net name="mlx5_2" dev="1" speed="100000" port="1" guid="0x2" maxconn="131072" gdr="1"/>
      </nic>
    </pci>
    <nic>
      <net name="eth0" dev="2" speed="10000" port="0" guid="0x0" maxconn="65536" gdr="0"/>
    </nic>
  </cpu>
  <cpu numaid="1" affinity="ff00" arch="x86_64">
    <pci busid="0000:95:00.0" class="0x020700" link_speed="32.0 GT/s PCIe" link_width="16">
      <nic>
        <net name="mlx5_3" dev="3" speed="200000" port="1" guid="0x3" maxconn="131072" gdr="1"/>
        <net name="mlx5_4+mlx5_5" dev="4" speed="400000" port="1" guid="0x4" maxconn="131072" gdr="1"/>
      </nic>
    </pci>
  </cpu>
</system>
"""


def readings(text: str) -> list[tuple[str, str, object]]:
    found = feed(PARSER, text.splitlines())
    return [(r.attribute, r.part.name, r.value) for r in found if isinstance(r, Reading)]


def test_ports_links_and_places() -> None:
    assert readings(TWO_CPUS) == [
        ("gpu-bus-id", "3", "0000:1b:00.0"),
        ("gpu-numa-node", "3", 0),
        ("hca-bus-id", "mlx5_1", "0000:1c:00.0"),
        ("hca-numa-node", "mlx5_1", 0),
        ("hca-bus-id", "mlx5_2", "0000:25:00.0"),
        ("hca-numa-node", "mlx5_2", 0),
        ("hca-bus-id", "mlx5_3", "0000:95:00.0"),
        ("hca-numa-node", "mlx5_3", 1),
        ("pcie-speed-max", "3", 32.0),
        ("pcie-width-max", "3", 8),
        ("port-rate", "mlx5_1/1", 200.0),
        ("pcie-speed-max", "mlx5_2", 16.0),
        ("pcie-width-max", "mlx5_2", 16),
        ("port-rate", "mlx5_2/1", 100.0),
        ("interface-speed", "eth0", 10.0),
        ("pcie-speed-max", "mlx5_3", 32.0),
        ("pcie-width-max", "mlx5_3", 16),
        ("port-rate", "mlx5_3/1", 200.0),
        ("gpu-nic-link", "3-mlx5_1", "PXB"),
        ("gpu-nic-link", "3-mlx5_2", "PHB"),
        ("gpu-nic-link", "3-mlx5_3", "SYS"),
    ]


def test_behind_one_switch() -> None:
    assert ("gpu-nic-link", "0-mlx5_0", "PIX") in readings(SAMPLE)


def test_elements_outside_a_system_are_somebody_elses() -> None:
    assert readings('<net name="mlx5_1" dev="0" speed="200000" port="1"/>') == []


def test_the_scan_sees_shapes_only() -> None:
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in TWO_CPUS.splitlines())


@given(st.lists(st.sampled_from(TWO_CPUS.splitlines()) | st.text()))
def test_any_lines_are_survived(lines: list[str]) -> None:
    assert all(value is not None for _, _, value in readings("\n".join(lines)))
