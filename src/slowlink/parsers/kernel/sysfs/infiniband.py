"""HCAs and their ports in /sys/class/infiniband."""

from __future__ import annotations

from slowlink.parsers.forms import rdma_values as rdma
from slowlink.parsers.forms.make_reading import bus_id, says_something, whole
from slowlink.parsers.forms.port_counters import KERNEL_NAMES, attribute_of, count, transport_names
from slowlink.parsers.kernel.sysfs.paths import Convert, PathFact

_HCA = r"sys/class/infiniband/(?P<hca>[\w.-]{1,40})"
_PORT = _HCA + r"/ports/(?P<port>\d{1,3})"
_ROOT = "/sys/class/infiniband/mlx5_0"
_HCA_PART, _PORT_PART, _INDEXED_PART = "{hca}", "{hca}/{port}", "{hca}/{port}/{index}"


def _text(content: str) -> str | None:
    return content if says_something(content) else None


def _numa(content: str) -> int | None:
    """The NUMA node; None for the -1 that the kernel gives on a machine with one node."""
    return whole(content)


def _hca(file: str, attribute: str, convert: Convert, content: str, value: str | int) -> PathFact:
    return PathFact(f"{_HCA}/{file}", attribute, _HCA_PART, convert, {f"{_ROOT}/{file}:{content}": value})


def _port(file: str, attribute: str, convert: Convert, content: str, value: str | float) -> PathFact:
    return PathFact(f"{_PORT}/{file}", attribute, _PORT_PART, convert, {f"{_ROOT}/ports/1/{file}:{content}": value})


def _indexed(folder: str, attribute: str, convert: Convert, content: str, value: str) -> PathFact:
    return PathFact(
        rf"{_PORT}/{folder}/(?P<index>\d{{1,4}})",
        attribute,
        _INDEXED_PART,
        convert,
        {f"{_ROOT}/ports/1/{folder}/3:{content}": value},
    )


def _counter(folder: str, name: str) -> PathFact:
    attribute = attribute_of(name)
    assert attribute is not None, name
    return PathFact(
        f"{_PORT}/{folder}/{name}",
        attribute,
        _PORT_PART,
        lambda content: count(name, content),
        {f"{_ROOT}/ports/1/{folder}/{name}:12": count(name, "12")},
    )


_GID = "0000:0000:0000:0000:0000:ffff:c0a8:0a05"

PATHS = (
    _hca("fw_ver", "hca-firmware", _text, "28.43.2026", "28.43.2026"),
    _hca("hca_type", "hca-model", _text, "MT4129", "MT4129"),
    _hca("board_id", "hca-board-id", _text, "MT_0000000838", "MT_0000000838"),
    _hca("hw_rev", "hca-hardware-version", lambda text: text.removeprefix("0x") or None, "0x0", "0"),
    _hca("node_guid", "hca-node-guid", rdma.guid, "a088:c203:0012:3456", "a088c20300123456"),
    _hca("sys_image_guid", "hca-system-guid", rdma.guid, "a088:c203:0012:3456", "a088c20300123456"),
    _hca("device/numa_node", "hca-numa-node", _numa, "1", 1),
    PathFact(
        _HCA + r"/device/uevent",
        "hca-bus-id",
        _HCA_PART,
        lambda text: bus_id(text.removeprefix("PCI_SLOT_NAME=")) if text.startswith("PCI_SLOT_NAME=") else None,
        {f"{_ROOT}/device/uevent:PCI_SLOT_NAME=0000:12:00.0": "0000:12:00.0", f"{_ROOT}/device/uevent:DRIVER=x": None},
    ),
    _port("state", "port-state", rdma.port_state, "4: ACTIVE", "Active"),
    _port("phys_state", "port-physical-state", rdma.physical_state, "5: LinkUp", "LinkUp"),
    _port("rate", "port-rate", rdma.rate_gbit, "400 Gb/sec (4X NDR)", 400.0),
    _port("rate", "port-width", rdma.width, "400 Gb/sec (4X NDR)", 4),
    _port("link_layer", "port-link-layer", rdma.link_layer, "InfiniBand", "InfiniBand"),
    _port("lid", "port-lid", rdma.lid, "0x1f", 31),
    _port("sm_lid", "port-sm-lid", rdma.lid, "0x1", 1),
    _indexed("pkeys", "pkey-value", rdma.pkey, "0xffff", "0xffff"),
    _indexed("gids", "gid-value", rdma.gid, _GID, _GID),
    _indexed("gids", "gid-ipv4", rdma.gid_ipv4, _GID, "192.168.10.5"),
    _indexed("gid_attrs/types", "gid-type", rdma.gid_type, "RoCE v2", "RoCE v2"),
    _indexed("gid_attrs/ndevs", "gid-netdev", _text, "ens1np0", "ens1np0"),
    *(_counter("counters", name) for name in KERNEL_NAMES),
    *(_counter("hw_counters", name) for name in transport_names()),
)
