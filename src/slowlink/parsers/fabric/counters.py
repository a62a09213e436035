"""Error and data counters of ports: what each tool calls them, and the attribute that each is.

Sources: libibmad's field names (perfquery, ibqueryerrors; before 1.6 with short names), ibdiagnet's ``.pm`` keys,
columns of ``.db_csv``. Data counters count words of four bytes (InfiniBand Architecture Specification, volume 1,
PortCounters).
"""

from __future__ import annotations

WORD = 4
"""Bytes of a word, which the data counters count."""
_NEGATIVE = 1 << 63
"""Counts from here on are small negative numbers in 64 bits: no port lives long enough to count that far."""
DATA = frozenset({"port-xmit-data", "port-rcv-data"})

_NAMES: dict[str, tuple[str, ...]] = {
    "port-symbol-errors": ("SymbolErrorCounter", "SymbolErrors", "symbol_error_counter"),
    "port-link-error-recovery": ("LinkErrorRecoveryCounter", "LinkRecovers", "link_error_recovery_counter"),
    "port-link-downed": ("LinkDownedCounter", "LinkDowned", "link_down_counter", "link_downed_counter"),
    "port-rcv-errors": ("PortRcvErrors", "RcvErrors", "port_rcv_errors"),
    "port-rcv-remote-physical-errors": (
        "PortRcvRemotePhysicalErrors",
        "RcvRemotePhysErrors",
        "port_rcv_remote_physical_errors",
    ),
    "port-rcv-switch-relay-errors": ("PortRcvSwitchRelayErrors", "RcvSwRelayErrors", "port_rcv_switch_relay_errors"),
    "port-xmit-discards": ("PortXmitDiscards", "XmtDiscards", "port_xmit_discard", "port_xmit_discards"),
    "port-xmit-constraint-errors": (
        "PortXmitConstraintErrors",
        "XmtConstraintErrors",
        "port_xmit_constraint_errors",
    ),
    "port-rcv-constraint-errors": ("PortRcvConstraintErrors", "RcvConstraintErrors", "port_rcv_constraint_errors"),
    "port-local-link-integrity-errors": (
        "LocalLinkIntegrityErrors",
        "LinkIntegrityErrors",
        "local_link_integrity_errors",
    ),
    "port-excessive-buffer-overruns": (
        "ExcessiveBufferOverrunErrors",
        "ExcBufOverrunErrors",
        "excessive_buffer_errors",
        "excessive_buffer_overrun_errors",
    ),
    "port-vl15-dropped": ("VL15Dropped", "vl15_dropped"),
    "port-qp1-dropped": ("QP1Dropped", "qp1_dropped"),
    "port-xmit-data": ("PortXmitData", "XmtData", "port_xmit_data"),
    "port-rcv-data": ("PortRcvData", "RcvData", "port_rcv_data"),
    "port-xmit-packets": ("PortXmitPkts", "XmtPkts", "port_xmit_pkts"),
    "port-rcv-packets": ("PortRcvPkts", "RcvPkts", "port_rcv_pkts"),
    "port-xmit-wait": ("PortXmitWait", "XmtWait", "port_xmit_wait"),
    "port-unicast-xmit-packets": ("PortUnicastXmitPkts", "port_unicast_xmit_pkts"),
    "port-unicast-rcv-packets": ("PortUnicastRcvPkts", "port_unicast_rcv_pkts"),
    "port-multicast-xmit-packets": ("PortMulticastXmitPkts", "port_multicast_xmit_pkts"),
    "port-multicast-rcv-packets": ("PortMulticastRcvPkts", "port_multicast_rcv_pkts"),
    "port-local-physical-errors": ("PortLocalPhysicalErrors", "port_local_physical_errors"),
    "port-malformed-packets": ("PortMalformedPktErrors", "port_malformed_packet_errors"),
    "port-buffer-overruns": ("PortBufferOverrunErrors", "port_buffer_overrun_errors"),
    "port-dlid-mapping-errors": ("PortDLIDMappingErrors", "port_dlid_mapping_errors"),
    "port-vl-mapping-errors": ("PortVLMappingErrors", "port_vl_mapping_errors"),
    "port-looping-errors": ("PortLoopingErrors", "port_looping_errors"),
    "port-inactive-discards": ("PortInactiveDiscards", "port_inactive_discards"),
    "port-neighbor-mtu-discards": ("PortNeighborMTUDiscards", "port_neighbor_mtu_discards"),
    "port-lifetime-discards": ("PortSwLifetimeLimitDiscards", "port_sw_lifetime_limit_discards"),
    "port-hoq-discards": ("PortSwHOQLifetimeLimitDiscards", "port_sw_hoq_lifetime_limit_discards"),
}
_ATTRIBUTES = {name.lower().replace("_", ""): attribute for attribute, names in _NAMES.items() for name in names}


def attribute_of(name: str) -> str | None:
    """The attribute of a counter, whatever tool named it; None for a counter that says nothing about a link."""
    plain = name.lower().replace("_", "")
    return _ATTRIBUTES.get(plain) or _ATTRIBUTES.get(plain.removesuffix("extended").removesuffix("ext"))


def in_unit(attribute: str, count: int) -> int | None:
    """A printed count in the attribute's unit: data in bytes. None for one that the device let fall below zero."""
    if count >= _NEGATIVE:
        return None
    return count * WORD if attribute in DATA else count
