"""Metrics of HCA ports from Prometheus' node_exporter::

    # HELP node_infiniband_link_downed_total Number of times the link failed to recover from an error state
    # TYPE node_infiniband_link_downed_total counter
    node_infiniband_link_downed_total{device="mlx5_0",port="1"} 2
    node_infiniband_rate_bytes_per_second{device="mlx5_0",port="1"} 5e+10
    node_infiniband_state_id{device="mlx5_0",port="1"} 4
    node_infiniband_info{board_id="MT_0000000838",device="mlx5_0",firmware_version="28.43.2026",hca_type="MT4129"} 1

They are the kernel's files of ``/sys/class/infiniband`` under other names: counters of data are bytes already. Legacy
counters (of 32 bits once) say the same as the others and are not read.

Source: node_exporter 1.0 to 1.9, ``collector/infiniband_linux.go``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from msgspec.structs import replace

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading, says_something
from slowlink.parsers.forms.prometheus import Sample, metric_of_comment, sample_in

PREFIX = "node_infiniband_"
STATES = {1: "Down", 2: "Init", 3: "Armed", 4: "Active", 5: "ActiveDefer"}
PHYSICAL_STATES = {
    1: "Sleep",
    2: "Polling",
    3: "Disabled",
    4: "PortConfigurationTraining",
    5: "LinkUp",
    6: "LinkErrorRecovery",
    7: "PhyTest",
}
COUNTERS = {
    "symbol_error_total": "port-symbol-errors",
    "link_error_recovery_total": "port-link-error-recovery",
    "link_downed_total": "port-link-downed",
    "port_errors_received_total": "port-rcv-errors",
    "port_receive_remote_physical_errors_total": "port-rcv-remote-physical-errors",
    "port_receive_switch_relay_errors_total": "port-rcv-switch-relay-errors",
    "port_discards_transmitted_total": "port-xmit-discards",
    "port_constraint_errors_transmitted_total": "port-xmit-constraint-errors",
    "port_constraint_errors_received_total": "port-rcv-constraint-errors",
    "local_link_integrity_errors_total": "port-local-link-integrity-errors",
    "excessive_buffer_overrun_errors_total": "port-excessive-buffer-overruns",
    "vl15_dropped_total": "port-vl15-dropped",
    "port_data_transmitted_bytes_total": "port-xmit-data",
    "port_data_received_bytes_total": "port-rcv-data",
    "port_packets_transmitted_total": "port-xmit-packets",
    "port_packets_received_total": "port-rcv-packets",
    "unicast_packets_transmitted_total": "port-unicast-xmit-packets",
    "unicast_packets_received_total": "port-unicast-rcv-packets",
    "multicast_packets_transmitted_total": "port-multicast-xmit-packets",
    "multicast_packets_received_total": "port-multicast-rcv-packets",
    "port_transmit_wait_total": "port-xmit-wait",
    "duplicate_requests_packets_total": "rdma-duplicate-request",
    "implied_nak_seq_errors_total": "rdma-implied-nak-seq-err",
    "local_ack_timeout_errors_total": "rdma-local-ack-timeout-err",
    "np_cnp_packets_sent_total": "rdma-np-cnp-sent",
    "np_ecn_marked_roce_packets_received_total": "rdma-np-ecn-marked-roce-packets",
    "out_of_buffer_drops_total": "rdma-out-of-buffer",
    "out_of_sequence_packets_received_total": "rdma-out-of-sequence",
    "packet_sequence_errors_total": "rdma-packet-seq-err",
    "req_cqes_errors_total": "rdma-req-cqe-error",
    "req_cqes_flush_errors_total": "rdma-req-cqe-flush-error",
    "req_remote_access_errors_total": "rdma-req-remote-access-errors",
    "req_remote_invalid_request_errors_total": "rdma-req-remote-invalid-request",
    "resp_cqes_errors_total": "rdma-resp-cqe-error",
    "resp_cqes_flush_errors_total": "rdma-resp-cqe-flush-error",
    "resp_local_length_errors_total": "rdma-resp-local-length-error",
    "resp_remote_access_errors_total": "rdma-resp-remote-access-errors",
    "rnr_nak_retry_packets_received_total": "rdma-rnr-nak-retry-err",
    "rp_cnp_packets_handled_total": "rdma-rp-cnp-handled",
    "rp_cnp_ignored_packets_received_total": "rdma-rp-cnp-ignored",
}
"""Behind the prefix: what each counter is in the catalogue."""
_INFO = {"board_id": "hca-board-id", "firmware_version": "hca-firmware", "hca_type": "hca-model"}


class NodeExporterInfiniband:
    """Reads states, rates and counters of ports, and what ``info`` says of each HCA."""

    kind: ClassVar[str] = "node-exporter-infiniband"
    literals: ClassVar[Literals] = Literals((PREFIX,))

    def __init__(self) -> None:
        self._found: list[Reading] = []

    @staticmethod
    def wants(text: str) -> bool:
        return PREFIX in text[:40]

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        found = sample_in(line.text)
        if found is None or not found.name.startswith(PREFIX):
            metric = metric_of_comment(line.text)
            return Use.IGNORED if metric is not None and metric.startswith(PREFIX) else Use.NOT_MINE
        before = len(self._found)
        device, name = found.labels.get("device", ""), found.name.removeprefix(PREFIX)
        if device and MAX_READINGS.has_room(len(self._found)):
            if name == "info":
                self._info(found, device, line)
            elif (port := found.labels.get("port", "")).isdecimal():
                self._port(found, name, Part("port", f"{device}/{int(port)}"), line)
        return Use.USED if len(self._found) > before else Use.IGNORED

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _info(self, found: Sample, device: str, line: Line) -> None:
        for label, attribute in _INFO.items():
            value = found.labels.get(label, "")
            if says_something(value):
                self._add(attribute, Part("hca", device), value, found, line)

    def _port(self, found: Sample, name: str, port: Part, line: Line) -> None:
        if name == "state_id":
            self._add("port-state", port, STATES.get(int(found.value)), found, line)
        elif name == "physical_state_id":
            self._add("port-physical-state", port, PHYSICAL_STATES.get(int(found.value)), found, line)
        elif name == "rate_bytes_per_second":
            self._add("port-rate", port, round(found.value * 8 / 1e9, 3) or None, found, line)
        elif name in COUNTERS:
            self._add(COUNTERS[name], port, found.count, found, line)

    def _add(self, attribute: str, part: Part, value: Value | None, found: Sample, line: Line) -> None:
        if value is not None:
            one = reading(attribute, part, value, line)
            self._found.append(replace(one, host=found.host) if found.host else one)


PARSER = NodeExporterInfiniband
