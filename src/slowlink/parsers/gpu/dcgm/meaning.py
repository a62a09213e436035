"""What the trees of dcgmi mean: NVLink error counts, health, topology, groups; and its list of devices.

Source: ``dcgmi/Nvlink.cpp``, ``Health.cpp``, ``Topo.cpp``, ``Group.cpp``, ``Query.cpp`` of DCGM 2 to 4.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.make_reading import NODE, bus_id, reading, says_something, whole
from slowlink.parsers.gpu.dcgm.diag import UNKNOWN, diag_readings
from slowlink.parsers.gpu.dcgm.stats import stats_readings
from slowlink.parsers.gpu.dcgm.tree import Node, Tree
from slowlink.patterns import regex

_COUNTERS = {
    "CRC FLIT Error": "nvlink-crc-flit-errors",
    "CRC Data Error": "nvlink-crc-data-errors",
    "Replay Error": "nvlink-replay-errors",
    "Recovery Error": "nvlink-recovery-errors",
    "Malformed Packet Error": "nvlink-malformed-errors",
    "Buffer Overrun Error": "nvlink-overrun-errors",
    "Rx Error": "nvlink-rx-errors",
    "Link Integrity Error": "nvlink-integrity-errors",
    "Rx Symbol Error": "nvlink-symbol-errors",
    "Effective Error": "nvlink-effective-errors",
}
_HEALTH = {"Healthy": "pass", "Warning": "warn", "Failure": "fail"}
_A_WORD = regex(r"[A-Za-z][A-Za-z _-]{2,30}")
"""A state of health that DCGM did not have when this was written: not known is not healthy."""
_LINKS = regex(r"\(Links: (?P<links>\d{1,3}(?:, ?\d{1,3}){0,63})\)")
_SYSTEM = regex(r"(?P<system>\w{2,12}) system: (?P<health>Healthy|Warning|Failure)(?: - )?")
_GPU = regex(r"GPU (?:ID: )?(?P<gpu>\d{1,4})")


def readings_of(kind: str, tree: Tree) -> Iterator[Reading]:
    """Everything that one box or JSON tree says, by its kind and the first line of its header."""
    if kind == "diag":
        yield from diag_readings(tree.sections)
    elif kind == "discovery":
        yield from _devices(tree)
    elif kind == "health":
        yield from _old_health(tree)
    elif kind == "stats":
        yield from stats_readings(tree)
    elif kind == "quiet":
        return  # what is set, not what is
    else:
        meaning = _MEANINGS.get(tree.header[0] if tree.header else "")
        if meaning is not None:
            yield from meaning(tree)


def _gpu_of(tree: Tree) -> str | None:
    found = next((match for text in tree.header[1:] if (match := _GPU.search(text))), None)
    return found["gpu"] if found else None


def _errors(tree: Tree) -> Iterator[Reading]:
    gpu = _gpu_of(tree)
    for section in tree.sections if gpu is not None else ():
        link = re.fullmatch(r"Link (\d{1,3})", section.label)
        for node in section.children if link else ():
            attribute, value = _COUNTERS.get(node.label), whole(node.value)
            if link is not None and attribute is not None and value is not None:
                yield reading(attribute, Part("nvlink", f"{gpu}/{link[1]}"), value, node.line)


def _health(tree: Tree) -> Iterator[Reading]:
    """Each system with what its worst entity says, and which GPUs complain."""
    for section in tree.sections:
        overall = _state(section) if section.label == "Overall Health" else None
        if overall is not None:
            part = Part("test", "dcgm-health/overall")
            yield reading("health-test", part, overall, section.line)
            yield from _said(part, section)
            continue
        for entity in section.children:
            for node in entity.walk():
                status = _state(node) if node.label.endswith(" system") else _HEALTH.get(node.value)
                if status is None or node is entity:
                    continue
                part = Part("test", f"dcgm-health/{node.label.removesuffix(' system')} {section.label} {entity.label}")
                yield reading("health-test", part, status, node.line)
                if section.label == "GPU" and entity.label.isdecimal():
                    yield reading("health-test-gpus", part, entity.label, node.line)
                yield from _said(part, node)


def _old_health(tree: Tree) -> Iterator[Reading]:
    """DCGM 1: a row a GPU, and below it ``PCIe system: Warning - words`` for each system that complains."""
    overall = re.search(r"Overall Health: (\w+)", tree.line.text)
    if overall is not None and overall[1] in _HEALTH:
        yield reading("health-test", Part("test", "dcgm-health/overall"), _HEALTH[overall[1]], tree.line)
    for node in tree.sections:
        gpu, words = _GPU.match(node.label), " ".join(node.overflow)
        said = list(_SYSTEM.finditer(words))
        for number, found in enumerate(said if gpu is not None else ()):
            end = said[number + 1].start() if number + 1 < len(said) else len(words)
            part = Part("test", f"dcgm-health/{found['system']} GPU {gpu['gpu'] if gpu else ''}")
            yield reading("health-test", part, _HEALTH[found["health"]], node.line)
            yield reading("health-test-detail", part, words[found.end() : end].strip()[:2000], node.line)
            yield reading("health-test-gpus", part, gpu["gpu"] if gpu else "", node.line)


def _state(node: Node) -> str | None:
    """What a row says of health; None where it is of something else."""
    return _HEALTH.get(node.value) or (UNKNOWN if _A_WORD.fullmatch(node.value) else None)


def _said(part: Part, node: Node) -> Iterator[Reading]:
    words = [node.value, *node.overflow] if _state(node) == UNKNOWN else node.overflow
    if words:
        yield reading("health-test-detail", part, " ".join(words)[:2000], node.line)


def _topology(tree: Tree) -> Iterator[Reading]:
    gpu = _gpu_of(tree)
    for node in tree.sections:
        peer = re.fullmatch(r"To GPU (\d{1,4})", node.label)
        if peer is not None and gpu is not None:
            first, second = sorted((gpu, peer[1]), key=int)
            part = Part("gpu-pair", f"{first}-{second}")
            if says_something(node.value):
                yield reading("gpu-pair-path", part, node.value, node.line)
            links = _LINKS.search(" ".join([node.value, *node.overflow]))
            if links is not None:
                yield reading("nvlinks-connected", part, links["links"].count(",") + 1, node.line)
        elif node.label == "CPU Core Affinity" and gpu is not None and says_something(node.value):
            yield reading("gpu-cpu-affinity", Part("gpu", gpu), _cpus(node), node.line)
        elif node.label == "NUMA Optimal" and node.value in ("True", "False"):
            yield reading("gpus-numa-optimal", NODE, node.value == "True", node.line)
        elif node.label == "Worst Path" and says_something(node.value):
            yield reading("gpus-worst-path", NODE, node.value, node.line)


def _cpus(node: Node) -> str:
    """``0 - 31, 64 - 95`` as other tools print it: ``0-31,64-95``."""
    return re.sub(r"\s+", "", ",".join(part.strip().strip(",") for part in (node.value, *node.overflow)))


def _groups(tree: Tree) -> Iterator[Reading]:
    for node in (found for section in tree.sections for found in section.walk()):
        number, name, members = node.child("Group ID"), node.child("Group Name"), node.child("Entities")
        if number is None or name is None or not number.value.isdecimal():
            continue
        part = Part("group", number.value)
        yield reading("dcgm-group-name", part, name.value, name.line)
        if members is None or not says_something(members.value):
            continue
        listed = " ".join([members.value, *members.overflow])
        yield reading("dcgm-group-members", part, listed, members.line)
        if name.value == "DCGM_ALL_SUPPORTED_GPUS":
            yield reading("gpu-count", NODE, len(re.findall(r"\bGPU \d", listed)), members.line)


def _devices(tree: Tree) -> Iterator[Reading]:
    """``dcgmi discovery -l``: a number, and the cells beside and below it."""
    for node in tree.sections:
        if not node.label.isdecimal():
            continue
        part = Part("gpu", node.label)
        for cell in (node.value, *node.overflow):
            key, _, value = cell.partition(":")
            value = value.strip()
            if key == "Name" and says_something(value):
                yield reading("gpu-name", part, value, node.line)
            elif key == "PCI Bus ID" and (address := bus_id(value)) is not None:
                yield reading("gpu-bus-id", part, address, node.line)
            elif key == "Device UUID" and value.startswith("GPU-"):
                yield reading("gpu-uuid", part, value, node.line)


_MEANINGS: dict[str, Callable[[Tree], Iterator[Reading]]] = {
    "NVLINK Error Counts": _errors,
    "Health Monitor Report": _health,
    "Topology Information": _topology,
    "GROUPS": _groups,
    "GROUP INFO": _groups,
}
