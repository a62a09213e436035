"""Plain values of hosts: CPUs, kernel, limits. Lists hold distinct values of all nodes.

``state_nodes``: names of nodes; ``cpu_governors``, ``cpu_frequency_drivers``, ``cpus_read``, ``cpu_names``,
``numa_balancing`` (bool) ..., ``memlock_limits``, ``shm_sizes_bytes``, ``iommu_parameters`` ...
"""

from __future__ import annotations

from slowlink.facts.readings import latest
from slowlink.model.facts import State

_LISTS = {
    "cpu_governors": "cpu-governor",
    "cpu_frequency_drivers": "cpu-frequency-driver",
    "cpu_energy_preferences": "cpu-energy-preference",
    "cpu_names": "cpu-model",
    "cpu_counts": "cpu-count",
    "cpu_sockets": "cpu-sockets",
    "cpu_threads_per_core": "cpu-threads-per-core",
    "cpu_boost": "cpu-boost",
    "cpu_idle_drivers": "cpu-idle-driver",
    "numa_nodes": "numa-nodes",
    "numa_balancing": "numa-balancing",
    "zone_reclaim": "zone-reclaim",
    "transparent_hugepages": "transparent-hugepages",
    "kernel_releases": "kernel-release",
    "os_releases": "os-release",
    "ofed_versions": "ofed-version",
    "kernel_parameters": "kernel-parameters",
    "iommu_parameters": "iommu-parameters",
    "iommu_domains": "iommu-domain",
    "iommu_default_domains": "iommu-default-domain",
    "memlock_limits": "memlock-limit",
    "open_files_limits": "open-files-limit",
    "shm_sizes_bytes": "shm-size",
}


def summarise(state: State) -> dict[str, object]:
    """Values of all nodes together, for each attribute that was collected."""
    values: dict[str, object] = {}
    named = [node for node in state.nodes if node not in state.unnamed]
    if named:
        values["state_nodes"] = named
    for name, attribute in _LISTS.items():
        readings = state.readings.get(attribute)
        if readings is not None:
            values[name] = list(dict.fromkeys(r.value for r in latest(readings.all).values()))
    governors = state.readings.get("cpu-governor")
    if governors is not None:
        values["cpus_read"] = list(dict.fromkeys(r.part.name for r in governors.all))[:1024]
    for name, attribute in (("packages", "package-version"), ("libraries", "library-version")):
        readings = state.readings.get(attribute)
        if readings is not None:
            values[name] = {r.part.name: r.value for r in latest(readings.all).values()}
    return values
