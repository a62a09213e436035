"""Metrics of an InfiniBand fabric from Prometheus' exporters, in their text format::

    # HELP infiniband_hca_port_symbol_error_total Infiniband HCA port SymbolErrorCounter
    infiniband_hca_info{guid="0x0c42a10300aa3001",hca="gpu07 mlx5_0",lid="41"} 1
    infiniband_hca_port_symbol_error_total{guid="0x0c42a10300aa3001",port="1"} 3
    infiniband_switch_port_transmit_wait_total{guid="0x0c42a10300bb4002",port="17",switch="leaf03"} 812
    infiniband_switch_power_supply_status_info{guid="0x0c42a10300bb4002",psu="0",status="OK"} 1
    infiniband_linkdownedcounter_total{local_guid="0x0c42a10300aa3005",local_name="gpu08 mlx5_0",local_port="1"} 1

Two programs of this name: one has ``infiniband_hca_...`` and ``infiniband_switch_...`` with data in bytes, and the name
behind a GUID in ``..._info``; the other names each counter as perfquery does, with data in words of four bytes.

Source: treydock/infiniband_exporter 0.9 to 0.13 (``collectors/*.go``), guilbaults/infiniband-exporter 0.0.6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar, NamedTuple

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.fabric import counters, names, rates
from slowlink.parsers.fabric.gathered import Gathered
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, says_something
from slowlink.parsers.forms.prometheus import Sample, metric_of_comment, sample_in

PREFIX = "infiniband_"
PORT_COUNTERS = {
    "symbol_error_total": "port-symbol-errors",
    "link_error_recovery_total": "port-link-error-recovery",
    "link_downed_total": "port-link-downed",
    "receive_errors_total": "port-rcv-errors",
    "receive_remote_physical_errors_total": "port-rcv-remote-physical-errors",
    "receive_switch_relay_errors_total": "port-rcv-switch-relay-errors",
    "transmit_discards_total": "port-xmit-discards",
    "transmit_constraint_errors_total": "port-xmit-constraint-errors",
    "receive_constraint_errors_total": "port-rcv-constraint-errors",
    "local_link_integrity_errors_total": "port-local-link-integrity-errors",
    "excessive_buffer_overrun_errors_total": "port-excessive-buffer-overruns",
    "vl15_dropped_total": "port-vl15-dropped",
    "qp1_dropped_total": "port-qp1-dropped",
    "transmit_data_bytes_total": "port-xmit-data",
    "receive_data_bytes_total": "port-rcv-data",
    "transmit_packets_total": "port-xmit-packets",
    "receive_packets_total": "port-rcv-packets",
    "unicast_transmit_packets_total": "port-unicast-xmit-packets",
    "unicast_receive_packets_total": "port-unicast-rcv-packets",
    "multicast_transmit_packets_total": "port-multicast-xmit-packets",
    "multicast_receive_packets_total": "port-multicast-rcv-packets",
    "transmit_wait_total": "port-xmit-wait",
    "local_physical_errors_total": "port-local-physical-errors",
    "malformed_packet_errors_total": "port-malformed-packets",
    "buffer_overrun_errors_total": "port-buffer-overruns",
    "dli_mapping_errors_total": "port-dlid-mapping-errors",
    "dlid_mapping_errors_total": "port-dlid-mapping-errors",
    "vl_mapping_errors_total": "port-vl-mapping-errors",
    "looping_errors_total": "port-looping-errors",
}
"""Behind ``infiniband_hca_port_`` and ``infiniband_switch_port_``: what each counter is in the catalogue."""
_UNITS = {
    "power_supply_status_info": "PSU{psu}",
    "power_supply_dc_power_status_info": "PSU{psu} DC power",
    "power_supply_fan_status_info": "PSU{psu} fan",
    "fan_status_info": "fans",
}
"""Behind ``infiniband_switch_``: parts of a switch whose ``status`` is a label."""
_HARDWARE = {
    "firmware_version": "fabric-node-firmware",
    "part_number": "fabric-node-part-number",
    "serial_number": "fabric-node-serial",
    "psid": "fabric-node-psid",
}
_NUMBERS = {"temperature_celsius": "switch-temperature", "uptime_seconds": "fabric-node-uptime"}


class _Told(NamedTuple):
    """One reading of a node of which perhaps only the GUID is known yet."""

    attribute: str
    guid: str
    name: str
    """As its own labels give it; "" where they do not."""
    port: str
    """Of a port its number; "" of the node itself; of another part its name behind a slash."""
    value: Value
    line: Line


class InfinibandExporter:
    """Reads samples of both programs; a GUID gets the name that any of its samples gives."""

    kind: ClassVar[str] = "infiniband-exporter"
    literals: ClassVar[Literals] = Literals((PREFIX,))

    def __init__(self) -> None:
        self._told: list[_Told] = []
        self._names: dict[str, str] = {}

    @staticmethod
    def wants(text: str) -> bool:
        head = text[:40].lstrip(" \t#HELPTYUNI")
        return head.startswith(PREFIX)

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        found = sample_in(line.text)
        if found is None:
            metric = metric_of_comment(line.text)
            return Use.IGNORED if metric is not None and metric.startswith(PREFIX) else Use.NOT_MINE
        before = len(self._told)
        if "local_guid" in found.labels:
            self._by_field(found, line)
        elif found.labels.get("guid", "").startswith("0x"):
            for kind in ("hca", "switch"):
                name = found.name.removeprefix(f"{PREFIX}{kind}_")
                if name != found.name:
                    self._by_kind(found, kind, name, line)
        return Use.USED if len(self._told) > before else Use.IGNORED

    def finish(self) -> Iterable[Reading]:
        gathered = Gathered()
        for told in self._told:
            known = told.name or self._names.get(told.guid, "")
            own = names.node_name(known, told.guid) if known else names.guid(told.guid)
            if told.port.startswith("/"):
                part = Part("switch-part", f"{own}{told.port}")
            else:
                part = names.port(own, told.port) if told.port else names.node(own)
            gathered.add(told.attribute, part, told.value, told.line)
        return gathered.all

    def _by_kind(self, found: Sample, kind: str, name: str, line: Line) -> None:
        labels = found.labels
        own, guid, port = labels.get(kind, ""), labels["guid"], labels.get("port", "")
        if own:
            self._names.setdefault(guid, own)
        counter = PORT_COUNTERS.get(name.removeprefix("port_")) if name.startswith("port_") else None
        if counter is not None and port.isdecimal():
            self._add(counter, guid, own, port, found.count, line)
        elif name == "info":
            self._add("fabric-node-guid", guid, own, "", names.guid(guid), line)
            self._add("fabric-node-type", guid, own, "", "ca" if kind == "hca" else kind, line)
        elif kind == "switch":
            self._switch(found.value, labels, name, line)

    def _switch(self, value: float, labels: Mapping[str, str], name: str, line: Line) -> None:
        guid, own = labels["guid"], labels.get("switch", "")
        if name in _UNITS and says_something(labels.get("status", "")):
            unit = _UNITS[name].format(psu=labels.get("psu", ""))
            self._add("switch-part-status", guid, own, f"/{unit}", labels["status"], line)
        elif name == "fan_rpm" and labels.get("fan"):
            self._add("switch-fan-speed", guid, own, f"/fan#{labels['fan']}", value, line)
        elif name in _NUMBERS:
            self._add(_NUMBERS[name], guid, own, "", int(value), line)
        elif name == "hardware_info":
            for label, attribute in _HARDWARE.items():
                if says_something(labels.get(label, "")):
                    self._add(attribute, guid, own, "", labels[label], line)

    def _by_field(self, found: Sample, line: Line) -> None:
        labels = found.labels
        guid, own, port = labels["local_guid"], labels.get("local_name", ""), labels.get("local_port", "")
        if not guid.startswith("0x") or not port.isdecimal():
            return
        name = found.name.removeprefix(PREFIX).removesuffix("_total")
        attribute, count = counters.attribute_of(name), found.count
        if attribute is not None and count is not None:
            self._add(attribute, guid, own, port, counters.in_unit(attribute, count), line)
        elif name == "width":
            self._add("link-width", guid, own, port, rates.lanes(f"{found.value:g}x"), line)
        elif name == "speed":
            self._add("link-speed", guid, own, port, rates.lane_speed(f"{found.value}"), line)

    def _add(self, attribute: str, guid: str, own: str, port: str, value: Value | None, line: Line) -> None:
        if value is not None and MAX_READINGS.has_room(len(self._told)):
            self._told.append(_Told(attribute, guid, own, port, value, line))


PARSER = InfinibandExporter
