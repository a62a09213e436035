"""PCI devices in /sys: links, NUMA node, and what the IOMMU does for them.

A GPU is known by the driver that it is bound to (/sys/bus/pci/drivers/nvidia/ADDRESS), an HCA by its RDMA device.
"""

from __future__ import annotations

from slowlink.parsers.forms.make_reading import number, whole
from slowlink.parsers.kernel.sysfs.paths import Convert, PathFact

_ADDRESS = r"(?P<address>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])"
_GPU_DRIVERS = "nvidia|amdgpu|metax|mxcd|xe|i915|habanalabs|hl_thunk|hycu|mthreads"
_GPU = rf"sys/bus/pci/drivers/(?:{_GPU_DRIVERS})/{_ADDRESS}"
_HCA = r"sys/class/infiniband/(?P<hca>[\w.-]{1,40})/device"
_ANY = rf"sys/(?:bus/pci/devices|devices/pci[0-9a-f]{{4}}:[0-9a-f]{{2}}(?:/[0-9a-f:.]{{7,16}}){{0,12}})/{_ADDRESS}"
_MOST_LANES = 32
"""More is no width: the kernel prints 255 where it does not know one."""


def _lanes(content: str) -> int | None:
    lanes = whole(content)
    return lanes if lanes is not None and lanes <= _MOST_LANES else None


def _lanes_it_has(content: str) -> int | None:
    return _lanes(content) or None


def _speed(content: str) -> float | None:
    """``32.0 GT/s PCIe``, ``8 GT/s``; Unknown gives none."""
    return number(content) if "GT/s" in content else None


def _node(content: str) -> int | None:
    return whole(content)


def _domain(content: str) -> str | None:
    return content if content in ("DMA", "DMA-FQ", "identity", "unmanaged", "blocked") else None


_FILES: tuple[tuple[str, str, Convert, str, str | int | float], ...] = (
    ("current_link_width", "pcie-width", _lanes, "8", 8),
    ("max_link_width", "pcie-width-max", _lanes_it_has, "16", 16),
    ("current_link_speed", "pcie-speed", _speed, "16.0 GT/s PCIe", 16.0),
    ("max_link_speed", "pcie-speed-max", _speed, "32.0 GT/s PCIe", 32.0),
    ("numa_node", "pci-numa-node", _node, "1", 1),
    ("iommu_group/type", "iommu-domain", _domain, "DMA-FQ", "DMA-FQ"),
)
_PLACES = (
    (_GPU, "{address}", "gpu", "/sys/bus/pci/drivers/nvidia/0000:3b:00.0"),
    (_HCA, "{hca}", "hca", "/sys/class/infiniband/mlx5_0/device"),
    (_ANY, "{address}", "pci", "/sys/bus/pci/devices/0000:3a:01.0"),
)

PATHS = (
    *(
        PathFact(f"{place}/{file}", attribute, part, convert, {f"{path}/{file}:{content}": value}, kind)
        for place, part, kind, path in _PLACES
        for file, attribute, convert, content, value in _FILES
        if (kind, file) != ("hca", "numa_node")  # its own attribute, in infiniband.py
    ),
    PathFact(
        r"sys/kernel/iommu_groups/(?P<group>\d{1,6})/type",
        "iommu-domain",
        "group {group}",
        _domain,
        {"/sys/kernel/iommu_groups/12/type:identity": "identity", "/sys/kernel/iommu_groups/12/type:auto": None},
    ),
    PathFact(
        r"sys/class/iommu/[\w.-]{1,60}/(?:intel-iommu|amd-iommu)/\w{1,40}",
        "iommu-present",
        "",
        lambda _content: True,
        {"/sys/class/iommu/dmar0/intel-iommu/version:1:0": True},
    ),
    PathFact(
        r"sys/class/iommu/\*",
        "iommu-present",
        "",
        lambda _content: None,
        {"ls: cannot access '/sys/class/iommu/*': No such file or directory": False},
        absent=False,
    ),
)
