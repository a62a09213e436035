"""Steps that the remedies of several GPU rules share."""

from __future__ import annotations

from collections.abc import Iterable

from slowlink.model.facts import Sources
from slowlink.model.state import Reading
from slowlink.rules.evidence.findings import Step

COUNT_GPUS = Step("Count what the driver sees and what PCIe sees.", "nvidia-smi -L | wc -l; lspci -d 10de: | wc -l")
TEST = Step("Test the GPU before it works again.", "dcgmi diag -r 3")
RESET_AND_TEST = Step("Drain the node, reset the GPU and test it.", "nvidia-smi --gpu-reset -i N && dcgmi diag -r 3")
AMD_RESET = Step(
    "Drain the node, read the errors of each block, and reset the GPU.",
    "amd-smi metric --ecc-blocks; amd-smi bad-pages; amd-smi reset --gpureset -g N",
)
_AMD, _NVIDIA = ("amd-smi", "rocm-smi"), ("nvidia-smi", "dcgm")


def of_amd(readings: Iterable[Reading], sources: Sources) -> bool:
    """Do all of these come from inputs in which AMD's tools were read, and none of NVIDIA's?"""
    amd = only_amd(sources)
    return all(reading.ref.source in amd for reading in readings)


def only_amd(sources: Sources) -> frozenset[str]:
    """Paths of inputs in which AMD's tools were read, and none of NVIDIA's."""
    kinds = {source.path: source.kinds for source in sources.all}
    return frozenset(path for path, found in kinds.items() if _of_amd_only(found))


def _of_amd_only(kinds: tuple[str, ...]) -> bool:
    return any(kind.startswith(_AMD) for kind in kinds) and not any(kind.startswith(_NVIDIA) for kind in kinds)
