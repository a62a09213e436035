"""Names of the report that labels of hosts mean: PCIe, CPUs, kernel, limits, GPUDirect."""

from __future__ import annotations

SYNONYMS: dict[str, tuple[str, ...]] = {
    # lspci
    "gpus": ("lspci_gpus",),
    "gpu": ("lspci_gpu_models", "lspci_gpu_names"),
    "gpu_device": ("lspci_gpu_devices",),
    "gpu_name": ("lspci_gpu_names",),
    "nvswitches": ("lspci_nvswitches",),
    "nics": ("lspci_nics", "lspci_hcas"),
    "hcas": ("lspci_hcas", "lspci_nics"),
    "bridges": ("lspci_bridges",),
    "acsctl": ("acs_controls",),
    "acs_srcvalid_on": ("acs_validating",),
    "acs_redirect_on": ("acs_redirecting",),
    "acs_on": ("acs_set", "acs_redirecting"),
    "on": ("acs_set", "acs_redirecting"),
    "gpu_lnksta": ("pcie_links.gpu",),
    "gpu_lnkcap": ("pcie_links_max.gpu",),
    "hca_lnksta": ("pcie_links.hca",),
    "lnksta_lines": ("pcie_link_count",),
    "downgraded_lines": ("pcie_marked_downgraded",),
    "downgraded": ("pcie_marked_downgraded",),
    "width_x0": ("pcie_width_zero",),
    "device": ("pcie_devices",),
    "devices": ("pcie_link_count", "events.kernel-pcie-limited", "lspci_gpus"),
    "cap": ("pcie_links_max.gpu", "pcie_links_max.hca", "pcie_links_max.pci"),
    "sta": ("pcie_links.gpu", "pcie_links.hca", "pcie_links.pci"),
    "lnkcap": ("pcie_links_max.gpu", "pcie_links_max.hca", "pcie_links_max.pci"),
    "lnksta": ("pcie_links.gpu", "pcie_links.hca", "pcie_links.pci"),
    "driver": ("cpu_frequency_drivers", "pci_drivers"),
    "command_line": ("command_lines",),
    # the kernel log
    "limited_at": ("event_details.at",),
    "capable_speed": ("event_details.capable_speed",),
    "speed": ("event_details.limit_speed",),
    # host
    "host": ("state_nodes",),
    "cpu": ("cpus_read", "cpu_names"),
    "governor": ("cpu_governors",),
    "numa_nodes": ("numa_nodes",),
    "numa_balancing": ("numa_balancing",),
    "kernel": ("kernel_releases",),
    "os": ("os_releases",),
    "ofed": ("ofed_versions",),
    "missing_file": ("observations_by_subject.memory-peers-file-missing", "peer_memory_missing"),
}
