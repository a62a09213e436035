"""hwloc's XML."""

from __future__ import annotations

import re
from itertools import chain

from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.state import Reading
from slowlink.parsers.host import hwloc_xml
from slowlink.parsers.host.hwloc_xml import PARSER

TOPOLOGY = sample_in(hwloc_xml.__doc__ or "")


def readings(text: str) -> list[tuple[str, str, object, str | None]]:
    found = feed(PARSER, text.splitlines())
    return [(r.attribute, r.part.name, r.value, r.host) for r in found if isinstance(r, Reading)]


def test_a_topology_names_its_host_and_places_its_devices() -> None:
    assert readings(TOPOLOGY) == [
        ("gpu-bus-id", "0", "0000:1b:00.0", "gpu07"),
        ("gpu-numa-node", "0", 0, "gpu07"),
        ("hca-bus-id", "mlx5_0", "0000:1c:00.0", "gpu07"),
        ("hca-numa-node", "mlx5_0", 0, "gpu07"),
        ("port-state", "mlx5_0/1", "Active", "gpu07"),
        ("gpu-nic-link", "0-mlx5_0", "PIX", "gpu07"),
    ]


def test_devices_below_a_numa_node_as_in_version_1() -> None:
    text = """\
<topology>
  <object type="Machine" os_index="0">
    <object type="NUMANode" os_index="2">
      <object type="Bridge" bridge_type="0-1">
        <object type="PCIDev" pci_busid="0000:1c:00.0">
          <object type="OSDev" name="mlx5_0" osdev_type="3"/>
        </object>
      </object>
    </object>
  </object>
</topology>
"""
    assert readings(text) == [("hca-bus-id", "mlx5_0", "0000:1c:00.0", None), ("hca-numa-node", "mlx5_0", 2, None)]


def test_objects_outside_a_topology_are_somebody_elses() -> None:
    assert readings('<object type="OSDev" name="mlx5_0" osdev_type="3"/>') == []


def test_the_scan_sees_shapes_only() -> None:
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in TOPOLOGY.splitlines())


@given(st.lists(st.sampled_from(TOPOLOGY.splitlines()) | st.text()))
def test_any_lines_are_survived(lines: list[str]) -> None:
    wanted = [*chain(*(part.splitlines() for part in lines))]
    assert all(value is not None for _, _, value, _ in readings("\n".join(wanted)))
