"""Can DMA-BUF give HCAs access to GPU memory, so that no peer-memory module is needed?

NVIDIA's driver offers it with its open kernel modules only, and the kernel from 5.12 on
(https://docs.nvidia.com/cuda/gpudirect-rdma/). Enterprise kernels with an older number may have it by backport.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from slowlink.facts.readings import latest_of_each
from slowlink.model.state import Reading, Value
from slowlink.patterns import regex

ATTRIBUTES = ("gpu-driver-open", "kernel-release", "kernel-dma-buf", "kernel-pci-p2pdma")
_FIRST = (5, 12)
_RELEASE = regex(r"(\d{1,2})\.(\d{1,3})\.")


class DmaBuf:
    """What is known of each node."""

    def __init__(self, readings: Iterable[Reading]) -> None:
        self._of_node: dict[str | None, dict[str, Value]] = {}
        for reading in latest_of_each(readings):
            self._of_node.setdefault(reading.host, {})[reading.attribute] = reading.value

    def serves(self, node: str | None) -> bool | None:
        """True and False where what it needs is known of the node, None where something is not."""
        mine = self._of_node.get(node, {})
        driver = mine.get("gpu-driver-open")
        kernel = _new_enough(str(mine["kernel-release"])) if "kernel-release" in mine else None
        if driver is False or kernel is False or mine.get("kernel-dma-buf") is False:
            return False
        return True if driver is True and kernel is True else None


def _new_enough(release: str) -> bool | None:
    found = _RELEASE.match(release)
    if found is None:
        return None
    if (int(found[1]), int(found[2])) >= _FIRST:
        return True
    return None if re.search(r"\.el\d", release) else False
