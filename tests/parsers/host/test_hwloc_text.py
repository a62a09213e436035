"""``lstopo`` as text."""

from __future__ import annotations

import re

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.model.state import Reading
from slowlink.parsers.host.hwloc_text import PARSER

TWO_SOCKETS = """\
Machine (2015GB total)
  Package L#0
    NUMANode L#0 (P#0 1007GB)
    L3 L#0 (105MB)
      L2 L#0 (2048KB) + L1d L#0 (48KB) + L1i L#0 (32KB) + Core L#0 + PU L#0 (P#0)
    HostBridge
      PCIBridge
        PCIBridge
          PCIBridge
            PCI 1b:00.0 (3D)
              CoProc(CUDA) "cuda0"
              GPU(NVML) "nvml0"
          PCIBridge
            PCI 1c:00.0 (InfiniBand)
              Net "ib0"
              OpenFabrics "mlx5_0"
          PCIBridge
            PCIBridge
              PCIBridge
                PCI 20:00.0 (InfiniBand)
                  OpenFabrics "mlx5_1"
      PCIBridge
        PCI 22:00.0 (Ethernet)
          OpenFabrics "mlx5_2"
    HostBridge
      PCIBridge
        PCI 2a:00.0 (InfiniBand)
          OpenFabrics "mlx5_3"
  Package L#1
    NUMANode L#1 (P#1 1008GB)
    HostBridge
      PCIBridge
        PCI 9a:00.0 (InfiniBand)
          OpenFabrics "mlx5_4"
depth 0:           1 Machine (type #0)
"""


def readings(text: str) -> list[tuple[str, str, object]]:
    found = feed(PARSER, text.splitlines())
    return [(r.attribute, r.part.name, r.value) for r in found if isinstance(r, Reading)]


def test_each_pair_of_gpu_and_hca_is_joined_as_the_tree_shows() -> None:
    assert [(name, value) for attribute, name, value in readings(TWO_SOCKETS) if attribute == "gpu-nic-link"] == [
        ("0-mlx5_0", "PIX"),
        ("0-mlx5_1", "PXB"),
        ("0-mlx5_2", "PHB"),
        ("0-mlx5_3", "NODE"),
        ("0-mlx5_4", "SYS"),
    ]


def test_devices_have_a_bus_id_and_a_numa_node() -> None:
    found = readings(TWO_SOCKETS)
    assert ("gpu-bus-id", "0", "0000:1b:00.0") in found
    assert ("gpu-numa-node", "0", 0) in found
    assert ("hca-bus-id", "mlx5_4", "0000:9a:00.0") in found
    assert ("hca-numa-node", "mlx5_4", 1) in found


def test_older_and_verbose_forms() -> None:
    older = """\
Machine (128GB)
  NUMANode L#0 (P#0 64GB) + Socket L#0 + L3 L#0 (20MB)
    HostBridge L#0
      PCIBridge
        PCI 15b3:1013
          OpenFabrics L#1 "mlx5_0"
"""
    verbose = """\
Machine (P#0 total=64GiB)
  Package L#0 + NUMANode L#0 (P#3 local=64GiB total=64GiB)
    HostBridge L#0 (buses=0000:[00-15])
      PCI L#2 (busid=0000:0b:00.0 id=15b3:1021 class=0207(InfiniBand) link=63.02GB/s)
        OSDev[OpenFabrics,Network] L#3 (NodeGUID=0200:00ff:fe00:0000 Port1State=1 Port1LID=0x0) "mlx5_9"
"""
    assert readings(older) == [("hca-numa-node", "mlx5_0", 0)]
    assert readings(verbose) == [
        ("pci-numa-node", "0000:0b:00.0", 3),
        ("hca-bus-id", "mlx5_9", "0000:0b:00.0"),
        ("hca-numa-node", "mlx5_9", 3),
        ("port-state", "mlx5_9/1", "Down"),
    ]


def test_a_gpu_that_no_library_names_is_a_pci_device_with_a_place() -> None:
    text = """\
Machine (503GB total)
  Package P#0
    Group0
      NUMANode P#3 (125GB)
      HostBridge
        PCIBridge
          PCI d1:00.0 (Display)
"""
    assert readings(text) == [("pci-numa-node", "0000:d1:00.0", 3)]


def test_without_indentation_nothing_is_near_anything() -> None:
    flat = "\n".join(line.strip() for line in TWO_SOCKETS.splitlines())
    assert {attribute for attribute, _, _ in readings(flat)} == set()


def test_lines_without_a_machine_are_somebody_elses() -> None:
    assert readings('      OpenFabrics "mlx5_0"\n') == []


def test_the_scan_sees_shapes_only() -> None:
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in TWO_SOCKETS.splitlines())


@given(st.lists(st.sampled_from(TWO_SOCKETS.splitlines()) | st.text()))
def test_any_lines_are_survived(lines: list[str]) -> None:
    assert all(value is not None for _, _, value in readings("\n".join(lines)))
