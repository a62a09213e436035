"""Steps that the remedies of several rules about links between GPUs share."""

from __future__ import annotations

from slowlink.rules.evidence.findings import Step

READ_NVLINKS = Step("Read the state and the errors of the links.", "nvidia-smi nvlink --status; nvidia-smi nvlink -e")
TEST_NODE = Step("Test the node with nothing else on it.", "dcgmi diag -r 3")
RESET_AND_TEST = Step("Reset all GPUs of the node together, and test it.", "nvidia-smi --gpu-reset && dcgmi diag -r 3")
SEE_ACS = Step("Look for ACS on the PCIe bridges.", "lspci -vvv | grep ACSCtl")
START_FABRIC_MANAGER = (
    Step("See whether it runs, and what it says.", "systemctl status nvidia-fabricmanager"),
    Step("Start it now and at boot; its version must be the driver's.", "systemctl enable --now nvidia-fabricmanager"),
)
SEE_IMEX = (
    Step("See the state of all nodes of the domain.", "nvidia-imex-ctl -N"),
    Step("See whether a channel is there.", "ls -l /dev/nvidia-caps-imex-channels"),
)
