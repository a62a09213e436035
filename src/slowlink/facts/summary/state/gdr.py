"""Plain values of what GPUDirect RDMA needs.

``modules_loaded``, ``modules_not_loaded``: names; ``module_versions``, ``peer_memory_clients``: by name;
``mm_kobj_exported``, ``gpu_driver_open``: bools of all nodes.
"""

from __future__ import annotations

from collections.abc import Iterable

from slowlink.facts.readings import latest_in
from slowlink.model.facts import State
from slowlink.model.state import Reading


def summarise(state: State) -> dict[str, object]:
    """Values of all nodes together, for each attribute that was collected."""
    values: dict[str, object] = {}
    loaded = latest_in(state, "module-loaded")
    if loaded:
        values["modules_loaded"] = _names(r for r in loaded if r.value is True)
        values["modules_not_loaded"] = _names(r for r in loaded if r.value is False)
    clients = latest_in(state, "peer-memory-client")
    if clients:
        values["peer_memory_clients"] = _names(r for r in clients if r.value is True)
        values["peer_memory_missing"] = [r.ref.text.strip()[:200] for r in clients if r.value is False][:20]
    versions = (*latest_in(state, "module-version"), *latest_in(state, "peer-memory-version"))
    if versions:
        values["module_versions"] = {r.part.name: r.value for r in versions}
    for name, attribute in (
        ("mm_kobj_exported", "mm-kobj-exported"),
        ("gpu_driver_open", "gpu-driver-open"),
        ("kernel_dma_buf", "kernel-dma-buf"),
        ("peer_memory_interface", "peer-memory-interface"),
    ):
        found = latest_in(state, attribute)
        if found:
            values[name] = list(dict.fromkeys(r.value for r in found))
    return values


def _names(readings: Iterable[Reading]) -> list[str]:
    return list(dict.fromkeys(r.part.name for r in readings))
