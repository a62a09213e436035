"""Steps that the remedies of several GPU rules share."""

from __future__ import annotations

from slowlink.rules.evidence.findings import Step

COUNT_GPUS = Step("Count what the driver sees and what PCIe sees.", "nvidia-smi -L | wc -l; lspci -d 10de: | wc -l")
TEST = Step("Test the GPU before it works again.", "dcgmi diag -r 3")
RESET_AND_TEST = Step("Drain the node, reset the GPU and test it.", "nvidia-smi --gpu-reset -i N && dcgmi diag -r 3")
