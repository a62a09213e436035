"""What labels of RDMA samples call the facts of ``facts/state_summary/rdma.py``."""

from __future__ import annotations

import re

SYNONYMS: dict[str, tuple[str, ...]] = {
    "device": ("hcas_present",),
    "devices": ("hca_count",),
    "cas": ("hca_count",),
    "hcas": ("hca_count",),
    "nics": ("hca_count",),
    "hosts": ("rdma_host_count",),
    "first_host": ("rdma_hosts",),
    "guids": ("hca_guid_count",),
    "ports": ("port_count",),
    "port": ("port_numbers",),
    "active": ("ports_active",),
    "down": ("ports_not_active", "interfaces_down"),
    "up": ("interfaces_up", "ports_active"),
    "up_devices": ("ports_with_interface_up", "ports_active_names"),
    "down_devices": ("ports_with_interface_down", "ports_not_active_names"),
    "nic_up": ("ports_active_names",),
    "nic_down": ("ports_not_active_names",),
    "state": ("port_states", "ports_active_names"),
    "phys_state": ("port_physical_states",),
    "rate": ("port_rates_gbit",),
    "ib_rate": ("ib_rates_gbit",),
    "eth_rate": ("eth_rates_gbit",),
    "ib_device": ("ib_devices", "gid_hcas_without_netdev"),
    "eth_device": ("eth_devices",),
    "roce_device": ("gid_hcas_with_netdev",),
    "link_layer": ("port_link_layers",),
    "fw": ("hca_firmware",),
    "firmware": ("hca_firmware",),
    "ca_type": ("hca_models",),
    "board_id": ("hca_board_ids",),
    "gids": ("gid_count",),
    "ipv4_gids": ("gids_with_ipv4",),
    "n_gids_found": ("gid_total",),
    "roce_v2_index": ("roce_v2_indexes",),
    "roce_v2_ipv4_index": ("roce_v2_ipv4_indexes",),
    "interfaces": ("interface_count",),
    "mtu": ("interface_mtu_bytes", "port_mtu_bytes"),
    "active_mtu": ("port_mtu_bytes",),
    "link_type": ("interface_kinds",),
    "speed": ("interface_speeds_gbit", "port_rates_gbit"),
    "lid": ("port_lids",),
    "sm_lid": ("sm_lids",),
    "errors": ("port_errors_total",),
}

_HCA = r"((?:mlx\d|roceP?|rocep?|ibp|efa|bnxt_re|irdma)[a-z0-9]*(?:_(?:bond_)?\d+)?)"

PATTERNS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (
    (re.compile(r"((?:ib|eth)_(?:\d+|ports))"), ("ports_by_kind.{0}",)),
    (re.compile(rf"{_HCA}_gids"), ("gids_by_hca.{0}",)),
    (re.compile(rf"{_HCA}_ipv4"), ("gid_ipv4_by_hca.{0}",)),
    (re.compile(rf"{_HCA}_rate"), ("port_rate_gbit.{0}",)),
    (re.compile(rf"{_HCA}_state"), ("port_states.{0}",)),
    (re.compile(rf"{_HCA}_fw"), ("hca_firmware_by_hca.{0}",)),
    (re.compile(_HCA), ("port_netdevs.{0}", "port_states.{0}", "port_rate_gbit.{0}")),
    (re.compile(r"model_(\d+)"), ("hca_cards_by_hca.mlx5_{0}",)),
    (re.compile(rf"{_HCA}_([a-z_]+)"), ("port_counters.{0}.{1}",)),
    (re.compile(r"([a-z][a-z0-9_]+)"), ("counter_values.{0}",)),
)
