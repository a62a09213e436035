"""Plain values of how ranks reach one another: transports, GPUDirect RDMA, network devices and plug-ins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from slowlink.facts.summary.tables import distinct
from slowlink.model.edges import EdgeKind, Edges
from slowlink.model.facts import GdrDecisions, Network, Transports
from slowlink.model.nccl import NetDevice
from slowlink.patterns import regex

_NOT_THERE = ("not-found", "load-failed", "symbol-missing", "init-failed", "unsupported")
"""What becomes of a plug-in that is looked for and not used."""
_PROVIDER = regex(r"(?P<provider>\S{1,60}) \(found (?P<nics>\d{1,6}) nics\)")


def edge_name(kind: EdgeKind) -> str:
    """Transport with ``/GDRDMA`` when this side uses GPUDirect RDMA: ``NET/IB/GDRDMA``."""
    return f"{kind.transport}/GDRDMA" if kind.gdr else kind.transport


def summarise_transports(transports: Transports | None) -> dict[str, object]:
    """``transport`` is the one between nodes where there is one, else the one inside the node: the commonest
    by channels. ``transport_detail`` is the same as the log prints it."""
    if transports is None:
        return {}
    edges = transports.edges
    main = transports.inter or transports.intra or edges
    values: dict[str, object] = {
        "transports": dict(_channels(edges)),
        "inter_node_transports": dict(_channels(transports.inter)),
        "intra_node_transports": dict(_channels(transports.intra)),
        "edges": len(edges),
        "connected_channels": edges.most_channels,
    }
    if main:
        values["transport"] = _channels(main)[0][0]
        details: Counter[str] = Counter()
        for group in main.groups:
            details[group.kind.detail] += group.channels
        values["transport_detail"] = [name for name, _ in details.most_common()]
    used = sorted({kind.net_device for kind in edges.kinds if kind.net_device is not None})
    if used:
        values["net_devices_used"] = used
    if over_others := sum(group.edges for group in edges.groups if group.kind.proxy_rank is not None):
        values["pxn_edges"] = over_others
    return values


def _channels(edges: Edges) -> list[tuple[str, int]]:
    counts: Counter[str] = Counter()
    for group in edges.groups:
        counts[edge_name(group.kind)] += group.channels
    return counts.most_common()


def summarise_gdr(decisions: GdrDecisions | None, transports: Transports | None) -> dict[str, object]:
    """``gdr``: ``on``, ``off`` or ``mixed`` as the channels between nodes show."""
    values: dict[str, object] = {}
    if transports is not None and (transports.gdr is not None or transports.gdr_mixed):
        values["gdr"] = "mixed" if transports.gdr_mixed else "on" if transports.gdr else "off"
    if decisions is None:
        return values
    enabled = [found for found in decisions.all if found.enabled]
    refused = [found for found in decisions.all if not found.enabled]
    values["gdr_enabled"] = sum(found.count for found in enabled)
    values["gdr_disabled"] = sum(found.count for found in refused)
    values["gdr_enabled_hcas"] = distinct(found.hca or found.hca_index for found in enabled)
    values["gdr_disabled_hcas"] = distinct(found.hca or found.hca_index for found in refused)
    values["gdr_distances"] = distinct(found.distance for found in [*refused, *enabled])
    values["gdr_levels"] = distinct(found.limit for found in [*refused, *enabled])
    values["gdr_reasons"] = distinct(found.reason for found in refused)
    values["dma_buf"] = len(decisions.dmabuf)
    return values


def summarise_network(network: Network | None) -> dict[str, object]:
    if network is None:
        return {}
    hcas = [device for device in network.devices if device.transport.lower() != "socket"]
    sockets = [device for device in network.devices if device.transport.lower() == "socket"]
    values: dict[str, object] = {
        "network": distinct(choice.network for choice in network.choices),
        "bootstrap_interfaces": distinct(found.interface for found in network.bootstraps),
        "bootstrap_addresses": distinct(found.address for found in network.bootstraps),
        "bootstraps": distinct(f"{b.interface}:{b.address.partition('<')[0]}" for b in network.bootstraps),
        "plugins": distinct(found.name for found in network.plugins if found.event not in _NOT_THERE),
        "plugins_by_kind": _plugins_by_kind(network),
        "plugin_events": _plugin_events(network),
        "plugin_details": distinct(found.detail for found in network.plugins),
        **_provider(network),
    }
    if network.no_ib_device:
        values["no_ib_device"] = len(network.no_ib_device)
    if network.single_node is not None:
        values["single_node"] = network.single_node
    if sockets:
        values["socket_interfaces"] = distinct(device.name for device in sockets)
    if hcas:
        values.update(_hcas(hcas))
    return values


def _plugin_events(network: Network) -> dict[str, int]:
    """``NET loaded`` -> number of records."""
    return dict(Counter(f"{found.kind} {found.event}" for found in network.plugins))


def _plugins_by_kind(network: Network) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for event in network.plugins:
        if event.event in _NOT_THERE:
            continue
        names = found.setdefault(event.kind, [])
        if event.name is not None and event.name not in names:
            names.append(event.name)
    return found


def _provider(network: Network) -> dict[str, object]:
    """libfabric's provider and its number of NICs, which aws-ofi-nccl announces as ``cxi (found 8 nics)``."""
    found = [match for event in network.plugins if (match := _PROVIDER.fullmatch(event.detail or ""))]
    if not found:
        return {}
    return {
        "ofi_provider": distinct(match["provider"] for match in found),
        "ofi_nics": distinct(int(match["nics"]) for match in found),
    }


def _hcas(devices: Sequence[NetDevice]) -> dict[str, object]:
    per_process: dict[object, set[str]] = {}
    for device in devices:
        process = (device.process.host, device.process.pid, device.process.rank)
        per_process.setdefault(process, set()).update(device.members or (device.name,))
    virtual = [device for device in devices if device.members]
    values: dict[str, object] = {
        "hcas": distinct(name for device in devices for name in device.members or (device.name,)),
        "hca_ports": distinct(_port(device) for device in devices),
        "hca_families": distinct(_family(name) for device in devices for name in device.members or (device.name,)),
        "hca_link_layers": distinct(device.link_layer for device in devices),
        "hcas_per_process": max(len(names) for names in per_process.values()),
        "hca_list_cut": any(device.list_cut for device in devices),
    }
    speeds = distinct(device.speed_gbit for device in devices)
    if speeds:
        values["hca_speed_gbit"] = speeds
    if virtual:
        values["virtual_hcas"] = distinct(device.name for device in virtual)
        values["virtual_hca_members"] = distinct(len(device.members) for device in virtual)
    return values


def _port(device: NetDevice) -> str:
    return device.name if device.port is None else f"{device.name}:{device.port}"


def _family(name: str) -> str:
    """``mlx5`` of ``mlx5_3``: what names of one driver's devices begin with."""
    return name.rstrip("0123456789").rstrip("_") or name
