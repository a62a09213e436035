"""HCAs, ports, GIDs and interfaces as plain values.

Names: ``hcas_present hca_count hca_firmware hca_models``; ``port_count ports_active ports_not_active port_rates_gbit
ports_by_kind`` (``{"ib_400": 8}``); ``gids_by_hca``; ``interfaces_up``; ``port_counters`` by HCA (port 1) or port.
Every list is distinct and in order of appearance. Of several nodes all values are put together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

from slowlink.catalog.attributes import attribute
from slowlink.facts.held_readings import Place, place_of
from slowlink.facts.readings import latest_in, latest_of, nodes_of
from slowlink.facts.stretches import Shape, Stretch, Told, counts, distinct, joined, last_by, number_of, told, where
from slowlink.model.facts import State
from slowlink.model.state import Part, Reading, Value

T = TypeVar("T")
_LAYERS = {"InfiniBand": "ib", "Ethernet": "eth"}
_FABRIC = ("fabric-node", "fabric-port")
_ERRORS = [
    "symbol-errors",
    "link-error-recovery",
    "rcv-errors",
    "local-link-integrity-errors",
    "out-of-sequence",
    "packet-seq-err",
    "local-ack-timeout-err",
    "rnr-nak-retry-err",
    "implied-nak-seq-err",
    "req-cqe-error",
    "resp-cqe-error",
    "req-remote-access-errors",
    "resp-remote-access-errors",
    "req-transport-retries-exceeded",
    "req-rnr-retries-exceeded",
]


def summarise(state: State) -> dict[str, object]:
    """Values by name; absent where nothing of the kind was read."""
    values: dict[str, object] = {}
    by_kind = _by_kind(state)
    for topic in (
        _hcas(state, by_kind),
        _ports(state, by_kind),
        _kinds(state),
        _gids(state),
        _interfaces(state, by_kind),
        _counters(state),
    ):
        values.update({name: value for name, value in topic if value not in ([], {}, None)})
    return values


def _now(state: State, name: str) -> Told:
    """The last reading of each part of a host; what the fabric's tools print has a summary of its own."""
    return where(latest_in(state, name), lambda part, _: part.kind not in _FABRIC)


def _distinct(values: Iterable[T]) -> list[T]:
    return list(dict.fromkeys(values))


def _values(state: State, name: str) -> list[Value]:
    return distinct(_now(state, name), lambda _, value: value)


def _hca_of(part: Part) -> str:
    return part.name.partition("/")[0]


def _label(part: Part) -> str:
    """``mlx5_0`` for its first port: nearly all HCAs have one."""
    return part.name.removesuffix("/1")


def _name(part: Part) -> str:
    return part.name


_ByKind = Mapping[str, Told]
"""Kind of part -> every reading of such parts."""


def _by_kind(state: State) -> _ByKind:
    found: dict[str, list[Told]] = {}
    for readings in state.readings.values():
        every = told(readings.all)
        for kind in {part.kind for shape in every.shapes for part in shape.parts}:
            found.setdefault(kind, []).append(where(every, partial(_is_of_kind, kind)))
    return {kind: joined(some) for kind, some in found.items()}


def _is_of_kind(kind: str, part: Part, _: Value) -> bool:
    return part.kind == kind


def _hcas(state: State, by_kind: _ByKind) -> Iterator[tuple[str, object]]:
    every = joined(by_kind[kind] for kind in ("hca", "port", "gid", "pkey") if kind in by_kind)
    named = where(every, lambda part, _: bool(_hca_of(part)))
    first: dict[tuple[str | None, str], Place] = {}
    for r in _first_of_each_hca(named):
        device, place = (r.host, _hca_of(r.part)), place_of(r)
        first[device] = min(place, first.get(device, place))
    yield "hcas_present", _distinct(name for _, name in sorted(first, key=first.__getitem__))
    yield "hca_count", sum(number_of(named, _hca_of).values()) or None
    guids = _values(state, "hca-node-guid")
    yield "hca_guids", guids
    yield "hca_guid_count", len(guids) or None
    hosts = nodes_of(named)
    yield "rdma_hosts", list(hosts)
    yield "rdma_host_count", len(hosts) or None
    for name, attribute_name in (
        ("hca_firmware", "hca-firmware"),
        ("hca_models", "hca-model"),
        ("hca_boards", "hca-board"),
        ("hca_board_ids", "hca-board-id"),
        ("hca_cards", "hca-card"),
    ):
        yield name, _values(state, attribute_name)
        yield f"{name}_by_hca", last_by(_now(state, attribute_name), _hca_of)


def _first_of_each_hca(readings: Told) -> Iterator[Reading]:
    """Those that may be the first of all that name their HCA: readings of one attribute are in order of lines, and of
    those that have the same parts in the same order only those of the first source can be."""
    sources = [_source_in_order(stretch) for stretch in readings.stretches]
    first: dict[Shape, str] = {}
    for stretch, source in zip(readings.stretches, sources, strict=True):
        if source is not None:
            first[stretch.shape] = min(source, first.get(stretch.shape, source))
    for stretch, source in zip(readings.stretches, sources, strict=True):
        if source is None:
            yield from readings.of(stretch)
        elif source == first[stretch.shape]:
            yield from stretch.held.picked(stretch.shape.ask(_first_places))


def _source_in_order(stretch: Stretch) -> str | None:
    """The source of all these, in order of lines; None where they are of several."""
    (source, line), (last, end) = stretch.held.ends()
    return source if source == last and line <= end else None


def _first_places(shape: Shape) -> Sequence[int]:
    first: dict[str, int] = {}
    for at, part in enumerate(shape.parts):
        first.setdefault(_hca_of(part), at)
    return tuple(first.values())


def _ports(state: State, by_kind: _ByKind) -> Iterator[tuple[str, object]]:
    states = _now(state, "port-state")
    yield "port_count", len(states) or len(_now(state, "port-netdev")) or None
    if states:
        active = where(states, lambda _, value: value == "Active")
        others = where(states, lambda _, value: value != "Active")
        yield "ports_active", len(active)
        yield "ports_not_active", len(others)
        yield "ports_active_names", [_label(r.part) for r in active]
        yield "ports_not_active_names", [_label(r.part) for r in others]
        yield "ports_by_state", counts(states, _text)
        yield "port_states", last_by(states, _label)
    named = distinct(by_kind.get("port", ()), lambda part, _: part.name.rpartition("/")[1:])
    yield "port_numbers", _distinct(int(number) for slash, number in named if slash and number.isdecimal())
    yield "port_physical_states", _values(state, "port-physical-state")
    yield "ports_by_physical_state", counts(_now(state, "port-physical-state"), _text)
    yield "port_rates_gbit", _values(state, "port-rate")
    yield "port_widths", last_by(_now(state, "port-width"), _label)
    yield "port_mtu_bytes_by_port", last_by(_now(state, "port-mtu"), _label)
    yield "hca_numa_nodes", last_by(_now(state, "hca-numa-node"), _hca_of)
    yield "hca_bus_ids", last_by(_now(state, "hca-bus-id"), _hca_of)
    yield "port_rate_gbit", last_by(_now(state, "port-rate"), _label)
    yield "port_link_layers", _values(state, "port-link-layer")
    yield "port_lids", _values(state, "port-lid")
    yield "sm_lids", [value for value in _values(state, "port-sm-lid") if value]
    yield "port_mtu_bytes", _values(state, "port-mtu")
    yield "pkeys", _values(state, "pkey-value")


def _text(_: Part, value: Value) -> str:
    return str(value)


def _kinds(state: State) -> Iterator[tuple[str, object]]:
    """Ports by link layer and rate."""
    rates = {(r.host, r.part): r.value for r in _now(state, "port-rate")}
    layers = _now(state, "port-link-layer")
    counts: Counter[str] = Counter()
    for reading in layers:
        layer, rate = _LAYERS.get(str(reading.value), ""), rates.get((reading.host, reading.part))
        counts[f"{layer}_ports"] += 1
        if isinstance(rate, float):
            counts[f"{layer}_{rate:g}"] += 1
    yield "ports_by_kind", dict(counts)
    for full, short in _LAYERS.items():
        mine = [reading for reading in layers if reading.value == full]
        yield f"{short}_devices", _distinct(_hca_of(r.part) for r in mine)
        yield f"{short}_rates_gbit", _distinct(rates[r.host, r.part] for r in mine if (r.host, r.part) in rates)


def _gids(state: State) -> Iterator[tuple[str, object]]:
    gids = _now(state, "gid-value")
    yield "gid_count", len(gids) or None
    yield "gid_total", next((r.value for r in _now(state, "gid-total")), None)
    yield "gids_by_hca", counts(gids, lambda part, _: _hca_of(part))
    addresses = _now(state, "gid-ipv4")
    with_address = {(r.host, r.part) for r in addresses}
    if gids:
        yield "gids_with_ipv4", len(addresses)
    yield "gid_ipv4", _values(state, "gid-ipv4")
    yield "gid_ipv4_by_hca", last_by(addresses, _hca_of)
    versions = [r for r in _now(state, "gid-type") if r.value == "RoCE v2"]
    yield "roce_v2_indexes", _distinct(r.part.number for r in versions)
    in_use = [r for r in versions if (r.host, r.part) in with_address]
    yield "roce_v2_ipv4_indexes", _distinct(r.part.number for r in in_use)
    with_netdev = {(r.host, r.part) for r in _now(state, "gid-netdev")}
    yield "gid_hcas_with_netdev", _distinct(_hca_of(r.part) for r in gids if (r.host, r.part) in with_netdev)
    yield "gid_hcas_without_netdev", _distinct(_hca_of(r.part) for r in gids if (r.host, r.part) not in with_netdev)


def _interfaces(state: State, by_kind: _ByKind) -> Iterator[tuple[str, object]]:
    states = _now(state, "interface-state")
    of_interface = {(r.host, r.part.name): str(r.value) for r in states}
    yield "interface_count", len({(r.host, r.part) for r in by_kind.get("interface", ())}) or None
    if states:
        yield "interfaces_up", sum(r.value == "up" for r in states)
        yield "interfaces_not_up", [r.part.name for r in states if r.value != "up"]
        yield "interfaces_down", sum(r.value != "up" for r in states)
    yield "interface_states", last_by(states, _name)
    yield "interface_mtu_bytes", _values(state, "interface-mtu")
    yield "interfaces_present", distinct(by_kind.get("interface", ()), lambda part, _: part.name)
    yield "interface_kinds", _values(state, "interface-kind")
    yield "interface_speeds_gbit", _values(state, "interface-speed")
    yield from _links_of_interfaces(state)
    netdevs = [
        (_label(r.part), str(r.value), of_interface.get((r.host, str(r.value)))) for r in _now(state, "port-netdev")
    ]
    yield "netdevs", _values(state, "port-netdev")
    yield "port_netdevs", {port: f"{name} {up.capitalize()}" if up else name for port, name, up in netdevs}
    yield "ports_with_interface_up", [port for port, _, up in netdevs if up == "up"]
    yield "ports_with_interface_down", [port for port, _, up in netdevs if up is not None and up != "up"]


def _links_of_interfaces(state: State) -> Iterator[tuple[str, object]]:
    """Bonds, modules, drivers and settings, by interface."""
    for name, attribute_name in (
        ("interface_speed_gbit", "interface-speed"),
        ("interface_mtu_bytes_by_name", "interface-mtu"),
        ("interface_drivers", "interface-driver"),
        ("interface_driver_versions", "interface-driver-version"),
        ("interface_firmware", "interface-firmware"),
        ("interface_bus_ids", "interface-bus-id"),
        ("interface_carrier", "interface-carrier"),
        ("interface_duplex", "interface-duplex"),
        ("interface_autoneg", "interface-autoneg"),
        ("interface_fec", "interface-fec"),
        ("interface_rx_pause", "interface-rx-pause"),
        ("interface_tx_pause", "interface-tx-pause"),
        ("interface_pfc_priorities", "interface-pfc"),
        ("interface_trust", "interface-trust"),
        ("interface_ipv4", "interface-ipv4"),
        ("interface_addresses", "interface-address"),
        ("interface_bonds", "interface-bond"),
        ("bond_modes", "interface-bond-mode"),
        ("bond_legs_up", "interface-bond-leg-up"),
        ("module_temperature_c", "interface-module-temperature"),
        ("module_vendors", "interface-module-vendor"),
        ("module_part_numbers", "interface-module-part-number"),
        ("module_length_m", "interface-module-length"),
    ):
        yield name, last_by(_now(state, attribute_name), _name)


def _counters(state: State) -> Iterator[tuple[str, object]]:
    found: dict[str, dict[str, object]] = {}
    values: dict[str, list[object]] = {}
    errors: int | None = None
    for name in state.readings:
        entry = attribute(name)
        if entry.part not in ("port", "interface", "priority") or entry.kind != "counter":
            continue
        short, now = name.partition("-")[2], latest_of(state.readings[name].all)
        for port, value in last_by(now, _label).items():
            found.setdefault(port, {})[short] = value
        values.setdefault(short, []).extend(distinct(now, lambda _, value: value))
        if entry.part == "port" and short in _ERRORS:
            for number, times in counts(now, lambda _, value: value).items():
                errors = (errors or 0) + number * times if isinstance(number, int) else errors
    yield "port_counters", found
    yield "counter_values", {name: _distinct(numbers) for name, numbers in values.items()}
    yield "port_errors_total", errors
