"""What counters of ports are called: by the kernel, by tools, and in the catalogue.

The hardware counters keep the kernel's names (``out_of_sequence`` is ``rdma-out-of-sequence``); drivers that have
names of their own for the same are listed. Sources: ``drivers/infiniband/core/sysfs.c``,
``drivers/infiniband/hw/{mlx5,bnxt_re,efa,irdma}/``.
"""

from __future__ import annotations

from functools import cache

from slowlink.catalog.attributes import all_attributes
from slowlink.parsers.forms.make_reading import whole

WORD_BYTES = 4
"""``port_xmit_data`` and ``port_rcv_data`` count words of 4 bytes."""

KERNEL_NAMES = {
    "symbol_error": "port-symbol-errors",
    "link_error_recovery": "port-link-error-recovery",
    "link_downed": "port-link-downed",
    "port_rcv_errors": "port-rcv-errors",
    "port_rcv_remote_physical_errors": "port-rcv-remote-physical-errors",
    "port_rcv_switch_relay_errors": "port-rcv-switch-relay-errors",
    "port_xmit_discards": "port-xmit-discards",
    "port_xmit_constraint_errors": "port-xmit-constraint-errors",
    "port_rcv_constraint_errors": "port-rcv-constraint-errors",
    "local_link_integrity_errors": "port-local-link-integrity-errors",
    "excessive_buffer_overrun_errors": "port-excessive-buffer-overruns",
    "VL15_dropped": "port-vl15-dropped",
    "port_xmit_data": "port-xmit-data",
    "port_rcv_data": "port-rcv-data",
    "port_xmit_packets": "port-xmit-packets",
    "port_rcv_packets": "port-rcv-packets",
    "unicast_xmit_packets": "port-unicast-xmit-packets",
    "unicast_rcv_packets": "port-unicast-rcv-packets",
    "multicast_xmit_packets": "port-multicast-xmit-packets",
    "multicast_rcv_packets": "port-multicast-rcv-packets",
    "port_xmit_wait": "port-xmit-wait",
}
"""Files of ``ports/N/counters`` and their attributes."""
_OTHER_DRIVERS = {
    "tx_cnp_pkts": "rdma-np-cnp-sent",
    "cnpSent": "rdma-np-cnp-sent",
    "rx_cnp_pkts": "rdma-rp-cnp-handled",
    "cnpHandled": "rdma-rp-cnp-handled",
    "cnpIgnored": "rdma-rp-cnp-ignored",
    "rx_ecn_marked_pkts": "rdma-np-ecn-marked-roce-packets",
    "RxECNMrkd": "rdma-np-ecn-marked-roce-packets",
    "to_retransmits": "rdma-local-ack-timeout-err",
    "seq_err_naks_rcvd": "rdma-packet-seq-err",
    "rnr_naks_rcvd": "rdma-rnr-nak-retry-err",
    "max_retry_exceeded": "rdma-req-transport-retries-exceeded",
    "oos_drop_count": "rdma-out-of-sequence",
    "retrans_pkts": "rdma-retransmissions",
    "RetransSegs": "rdma-retransmissions",
    "rx_drops": "rdma-receive-drops",
}


@cache
def attribute_of(name: str) -> str | None:
    """Id in the catalogue of a counter by the kernel's name; None for one that says nothing here."""
    known = KERNEL_NAMES.get(name) or _OTHER_DRIVERS.get(name)
    if known is not None:
        return known
    spelled = "rdma-" + name.replace("_", "-")
    return spelled if spelled in all_attributes() else None


def transport_names() -> tuple[str, ...]:
    """Files of ``ports/N/hw_counters`` that have an attribute, of all drivers."""
    mlx5 = (name.removeprefix("rdma-").replace("-", "_") for name in all_attributes() if name.startswith("rdma-"))
    return (*mlx5, *_OTHER_DRIVERS)


def count(name: str, text: str) -> int | None:
    """The value of counter ``name`` in the unit of its attribute."""
    value = whole(text)
    if value is None:
        return None
    return value * WORD_BYTES if attribute_of(name) in ("port-xmit-data", "port-rcv-data") else value
