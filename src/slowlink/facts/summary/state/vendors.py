"""Plain values that only the tools of MetaX and AMD give.

``mx_smi_version maca_version rocm_version amd_smi_version``: distinct ones; ``gpu_processes_listed``: what a tool
listed as processes on GPUs, an empty list where it said that there are none.
"""

from __future__ import annotations

from slowlink.facts.readings import latest
from slowlink.model.facts import State

_VERSIONS = ("mx-smi-version", "maca-version", "rocm-version", "amd-smi-version", "gpu-state", "gpu-partition")


def summarise(state: State) -> dict[str, object]:
    """Values of all nodes together."""
    values: dict[str, object] = {}
    for attribute in _VERSIONS:
        found = state.readings.get(attribute)
        if found is not None:
            now = latest(found.all).values()
            values[attribute.replace("-", "_")] = list(dict.fromkeys(str(reading.value) for reading in now))
    listed = state.readings.get("gpu-processes-listed")
    if listed is not None:
        names = state.readings.get("process-name")
        processes = latest(names.all).values() if names is not None else ()
        values["gpu_processes_listed"] = list(dict.fromkeys(str(reading.value) for reading in processes))
    return values
