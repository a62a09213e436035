"""What each node has that tests depend on: its GPUs and HCAs, and which of them are near each other."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from slowlink.ladder.plan import Hca, NodeParts
from slowlink.launch.fanout.ask import ask
from slowlink.launch.fanout.ways import Way
from slowlink.model.plan import Node

_LOGIN_S = 30.0
_LINE = re.compile(r"slowlink-part (hca|gpu) ([\w.:-]{1,64}) (\S{1,400}) (\S{1,40})")
SCRIPT = """\
for hca in /sys/class/infiniband/*; do
[ -e "$hca" ] || continue
state=down
for port in "$hca"/ports/*; do grep -q ACTIVE "$port/state" 2>/dev/null && state=up; done
echo "slowlink-part hca ${hca##*/} $(readlink -f "$hca/device") $state"
done
for gpu in /proc/driver/nvidia/gpus/*; do
[ -e "$gpu" ] && echo "slowlink-part gpu ${gpu##*/} $(readlink -f "/sys/bus/pci/devices/${gpu##*/}") nvidia"
done
for node in /sys/class/drm/renderD*/device; do
[ -e "$node/mem_info_vram_total" ] && gpu=$(readlink -f "$node") && echo "slowlink-part gpu ${gpu##*/} $gpu amd"
done
for gpu in /sys/bus/pci/devices/*; do
case $(cat "$gpu/vendor" 2>/dev/null) in 0x9999) echo "slowlink-part gpu ${gpu##*/} $(readlink -f "$gpu") metax" ;; esac
done
exit 0
"""
"""One line a part: its name, its place among the buses, and its state or kind."""
MEMORY = {"nvidia": "cuda", "amd": "rocm", "metax": "maca"}
"""How perftest calls the memory of each kind of GPU."""


def survey(nodes: Sequence[Node], way: Way) -> tuple[tuple[NodeParts, ...], str]:
    """The parts of each node, and how perftest calls the memory of their GPUs ("" without GPUs). A node that does not
    answer has none: the state of the hosts tells of it."""
    said = ask(nodes, SCRIPT, way, timeout_s=_LOGIN_S)
    parts = tuple(parts_of(node.name, answer.stdout) for node, answer in zip(nodes, said, strict=True))
    kinds = [kind for answer in said for what, _, _, kind in _LINE.findall(answer.stdout) if what == "gpu"]
    return parts, MEMORY.get(kinds[0], "") if kinds else ""


def parts_of(node: str, text: str) -> NodeParts:
    """From what the script printed. Total: any text gives an answer."""
    found = _LINE.findall(text[: 1 << 20])
    gpus = [place for _, place in sorted((name, place) for what, name, place, _ in found if what == "gpu")]
    hcas = [_hca(name, place, state == "up", gpus) for what, name, place, state in found if what == "hca"]
    return NodeParts(node, len(gpus), tuple(sorted(hcas, key=_by_number)))


def _hca(name: str, place: str, is_up: bool, gpus: Sequence[str]) -> Hca:
    """Near is the GPU that shares most bridges; far one that shares fewer, the fewest first."""
    shared = {number: _shared(place, gpu) for number, gpu in enumerate(gpus)}
    if not shared:
        return Hca(name, is_up)
    near = _extreme(shared, max(shared.values()))
    far = _extreme(shared, min(shared.values()))
    return Hca(name, is_up, near, far if shared[far] < shared[near] else None)


def _extreme(shared: Mapping[int, int], value: int) -> int:
    return next(number for number, count in shared.items() if count == value)


def _shared(one: str, other: str) -> int:
    """How many parts of their places two devices share: bridges, and the root."""
    alike = (a == b for a, b in zip(one.split("/"), other.split("/"), strict=False))
    return sum(1 for _ in takewhile(bool, alike))


def _by_number(hca: Hca) -> tuple[str, int]:
    number = re.search(r"(\d{1,6})$", hca.name)
    return (hca.name[: number.start()] if number else hca.name, int(number[1]) if number else 0)
