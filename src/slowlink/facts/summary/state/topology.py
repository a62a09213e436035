"""Plain values of how GPUs, network adapters and CPUs of nodes are joined.

``topo_gpus topo_nics``: numbers; ``gpu_links``: how all GPUs are joined, in words; ``gpu_pair_links``:
``{gpu0_gpu1: NV12}``; ``gpu_nic_links``: ``{gpu0_nic0: PIX}``, adapters numbered as printed; ``topo_nic_names``:
``{nic0: mlx5_0}``; ``topo_commands``: what was typed for it. Where several nodes were read, the first that tells a
value gives it.
"""

from __future__ import annotations

from slowlink.facts.gpu_links import described, gpu_links
from slowlink.facts.readings import by_node
from slowlink.model.facts import State
from slowlink.model.state import Reading


def summarise(state: State) -> dict[str, object]:
    """Values of the topology, where a matrix was read."""
    values: dict[str, object] = {}
    for name, attribute in (("topo_gpus", "topology-gpus"), ("topo_nics", "topology-nics")):
        found = [reading.value for reading in _all(state, attribute)]
        if found:
            values[name] = found[0] if len(set(found)) == 1 else found
    by_host = by_node(_all(state, "gpu-pair-link"))
    if by_host:
        values["gpu_links"] = list(dict.fromkeys(described(gpu_links(readings)) for readings in by_host.values()))
        values["gpu_pair_links"] = _first(
            (f"gpu{r.part.name.replace('-', '_gpu')}", r.value) for readings in by_host.values() for r in readings
        )
    values.update(_adapters(_all(state, "gpu-nic-link")))
    values.update(_paths(state))
    asked = [each.detail for each in state.collected if each.collector == "prompt" and " topo" in each.detail]
    if values and asked:
        values["topo_commands"] = list(dict.fromkeys(asked))
    return values


def _paths(state: State) -> dict[str, object]:
    """dcgmi's words about topology."""
    values: dict[str, object] = {}
    links = _all(state, "nvlinks-connected")
    if links:
        values["nvlinks_per_pair"] = list(dict.fromkeys(reading.value for reading in links))
        peers: dict[str, set[str]] = {}
        for reading in links:
            first, _, second = reading.part.name.partition("-")
            peers.setdefault(first, set()).add(second)
            peers.setdefault(second, set()).add(first)
        values["nvlink_peers"] = {f"gpu{gpu}": len(others) for gpu, others in peers.items()}
    for name, attribute in (("worst_path", "gpus-worst-path"), ("numa_optimal", "gpus-numa-optimal")):
        found = _all(state, attribute)
        if found:
            values[name] = list(dict.fromkeys(reading.value for reading in found))
    return values


def _adapters(readings: list[Reading]) -> dict[str, object]:
    if not readings:
        return {}
    names = list(dict.fromkeys(reading.part.name.partition("-")[2] for reading in readings))
    numbers = {name: f"nic{number}" for number, name in enumerate(names)}
    links = []
    for reading in readings:
        gpu, _, name = reading.part.name.partition("-")
        links.append((f"gpu{gpu}_{numbers[name]}", reading.value))
    return {"gpu_nic_links": _first(links), "topo_nic_names": {number: name for name, number in numbers.items()}}


def _first(entries: object) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, value in entries:  # type: ignore[attr-defined]
        values.setdefault(key, value)
    return values


def _all(state: State, attribute: str) -> list[Reading]:
    found = state.readings.get(attribute)
    return list(found.all) if found is not None else []
