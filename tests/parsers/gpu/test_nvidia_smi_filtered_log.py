"""Single fields of ``nvidia-smi -q``, without their GPU's line: the command above may name the GPU."""

from __future__ import annotations

import pytest
from gpu_reading import told

from slowlink.parsers.gpu.nvidia_smi import PARSER

FIELDS = "        Replays Since Reset               : {}\n        Replay Number Rollovers           : 1\n"


def replays(command: str, *counts: int) -> list[tuple[str, object]]:
    text = f"$ {command}\n" + "".join(FIELDS.format(count) for count in counts)
    return [(part, value) for part, attribute, value in told(PARSER, text) if attribute == "gpu-pcie-replays"]


@pytest.mark.parametrize(
    "command",
    [
        "nvidia-smi -q -i 6 | grep Replay",
        "while sleep 30; do nvidia-smi -i 6 -q -d PCIE | grep Replay; done",
        "for n in 1 2; do nvidia-smi --query-gpu=index,name --format=csv; nvidia-smi --id=6 -q | grep Replay; done",
    ],
)
def test_one_gpu_is_asked_for_again_and_again(command: str) -> None:
    assert replays(command, 40, 90) == [("gpu 6", 40), ("gpu 6", 90)]


@pytest.mark.parametrize(
    "command",
    [
        "nvidia-smi -q | grep Replay",
        "nvidia-smi -q -i 6,7 | grep Replay",
        "nvidia-smi -q -i 6; nvidia-smi -q -i 7",
        "nvidia-smi -i 6 -pm 1",
        "grep -i 6 nvidia-smi.log",
    ],
)
def test_without_one_gpu_each_field_is_of_another(command: str) -> None:
    assert replays(command, 40, 90) == [("gpu ?", 40), ("gpu ?2", 90)]


def test_the_last_command_counts_and_a_gpus_own_line_more() -> None:
    text = "$ nvidia-smi -q -i 6\n$ nvidia-smi -q | grep Replay\n" + FIELDS.format(3)
    assert told(PARSER, text)[0] == ("gpu ?", "gpu-pcie-replays", 3)
    own = "$ nvidia-smi -q -i 6\nGPU 00000000:1B:00.0\n    PCI\n" + FIELDS.format(3)
    assert ("gpu 0000:1b:00.0", "gpu-pcie-replays", 3) in told(PARSER, own)
