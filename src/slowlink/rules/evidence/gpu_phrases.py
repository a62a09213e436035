"""The GPUs of readings, by name and in words, and what the catalogue knows of them: rules about GPUs begin here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from msgspec import Struct

from slowlink.catalog.gpus import Gpu, find_gpu
from slowlink.facts.readings import by_attribute, latest_of, name_of_node, nodes_of
from slowlink.facts.stretches import Kind, number_of, of_each_node
from slowlink.model.facts import Readings
from slowlink.model.report import Suspect
from slowlink.model.state import Reading
from slowlink.nodes import fold
from slowlink.rules.evidence.findings import suspects
from slowlink.rules.evidence.messages import counted, listed

JOINED = frozenset({"nvswitch", "hybrid", "mesh"})
"""Fabrics (``fabric`` in the catalogue of GPUs) in which every link of a GPU is used."""

SLOW_THOUGH_SOUND = (
    *("gpu-clocks-throttled", "gpu-driver-hung", "gpu-hardware-fault"),
    *("straggler-gpu", "pcie-errors", "pcie-link-degraded"),
)
"""What leaves it open whether GPUs are well whose memory and links are sound: heat, a power limit, a state for idling,
a sensor that fails, the PCIe link."""

_MOST_NAMED = 3  # GPUs of several nodes that are named one by one


def gpu_label(reading: Reading) -> str:
    """``node07 GPU 3``, also for a reading of one of its links; ``a GPU`` where the text does not say which."""
    name = reading.part.name.partition("/")[0]
    which = "a GPU" if not name or name.startswith("?") else f"GPU {name}"
    node = name_of_node(reading)
    return f"{node} {which}" if node else which


def gpus_at(readings: Sequence[Reading]) -> str:
    """``node07 GPU 3 and GPU 4``: distinct ones, folded when they are many."""
    nodes = nodes_of(readings)
    labels = list(dict.fromkeys(gpu_label(reading) for reading in readings))
    if len(nodes) == 1:
        return f"{nodes[0]} {_joined([label.removeprefix(f'{nodes[0]} ') for label in labels])}"
    if len(nodes) > 1 and len(labels) > _MOST_NAMED:
        return f"{len(labels)} GPUs of {fold(nodes)}"
    return _joined(labels)


class Reported(NamedTuple):
    """Something that readings show, in words."""

    words: str
    readings: Sequence[Reading]


def by_gpu(reported: Iterable[Reported]) -> str:
    """``GPU 3: this, that; GPU 4: other``: everything that is reported, GPU by GPU."""
    places: dict[str, list[str]] = {}
    for words, readings in reported:
        places.setdefault(gpus_at(readings), []).append(words)
    return "; ".join(f"{place}: {', '.join(words)}" for place, words in places.items())


def _joined(distinct: Sequence[str]) -> str:
    """``GPU 0-7`` for numbers without a gap, else a list of the labels."""
    numbers = [int(label[4:]) for label in distinct if label.startswith("GPU ") and label[4:].isdecimal()]
    if len(distinct) > 2 and len(numbers) == len(distinct) and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"GPU {numbers[0]}-{numbers[-1]}"
    return listed(distinct)


def gpu_suspects(readings: Iterable[Reading]) -> tuple[Suspect, ...]:
    """The GPUs that have a name, and their nodes."""
    found = list(readings)
    named = [gpu_label(reading) for reading in found]
    return (*suspects("gpu", (name for name in named if "a GPU" not in name)), *suspects("node", nodes_of(found)))


class Models(Struct, frozen=True):
    """Which model each GPU is, as the driver names it."""

    names: Mapping[str | None, Mapping[str, str]]
    """Node -> GPU -> name."""

    def kind(self, reading: Reading) -> Gpu | None:
        """What the catalogue knows of the GPU of a reading (of itself, of one of its links, of its node)."""
        return self.kind_of(reading.host, reading.part.name.partition("/")[0])

    def kind_of(self, node: str | None, gpu: str) -> Gpu | None:
        """The same of a GPU by its name. A node has one kind of GPU: where this one's name was not read, its
        neighbour's stands for it."""
        names = self.names.get(node, {})
        name = names.get(gpu)
        if name is None and len(others := set(names.values())) == 1:
            (name,) = others
        return _find(name) if name is not None else None


@cache
def _find(name: str) -> Gpu | None:
    return find_gpu(name)


def models(readings: Readings | None) -> Models:
    """From readings that include ``gpu-name``; nothing is known without them."""
    named = latest_of(by_attribute(readings, "gpu-name")) if readings is not None else ()
    return Models(of_each_node(named, _names_of_gpus))


def _names_of_gpus(kind: Kind) -> Mapping[str, str]:
    return {part.name: str(value) for shape in kind for part, value in shape.pairs()}


def number_of_gpus(readings: Iterable[Reading]) -> str:
    """``8 GPUs``, ``128 GPUs of 16 nodes``."""
    numbers = number_of(readings, lambda part: part.name.partition("/")[0])
    return counted(sum(numbers.values()), "GPU") + (f" of {len(numbers)} nodes" if len(numbers) > 1 else "")
