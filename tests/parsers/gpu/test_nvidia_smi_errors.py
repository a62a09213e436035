"""nvidia-smi that reaches no GPU, or not all of them."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.gpu.nvidia_smi_errors import NvidiaSmiErrors

OUTPUT = """\
[root@gpu07 ~]# nvidia-smi
Unable to determine the device handle for GPU0000:3B:00.0: Unknown Error
Unable to determine the device handle for GPU0000:3B:00.0: Unknown Error
Unable to determine the device handle for gpu 0000:5E:00.0: Unable to communicate with GPU because it is insufficiently powered.
Unable to determine the device handle for GPU3: 0000:86:00.0: GPU requires reset
[root@gpu08 ~]# nvidia-smi
NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.
[root@gpu09 ~]# nvidia-smi
No devices were found
"""


def test_each_failure_names_its_gpu() -> None:
    assert events_of(NvidiaSmiErrors, OUTPUT) == snapshot(
        [
            ("gpu-lost", None, None, {"pci": "0000:3B:00.0", "error": "Unknown Error"}, 2),
            (
                "gpu-lost",
                None,
                None,
                {
                    "pci": "0000:5E:00.0",
                    "error": "Unable to communicate with GPU because it is insufficiently powered.",
                },
                1,
            ),
            ("gpu-requires-reset", None, None, {"pci": "0000:86:00.0"}, 1),
            ("nvidia-smi-no-driver", None, None, {}, 1),
            ("nvidia-smi-no-device", None, None, {}, 1),
        ]
    )


def test_a_message_that_is_cut_before_its_reason_is_no_event() -> None:
    assert events_of(NvidiaSmiErrors, "Unable to determine the device handle for GPU0000:3B:00.0: Unk") == []
    assert events_of(NvidiaSmiErrors, "Unable to determine the device handle for GPU0000:3B") == []


@pytest.mark.parametrize(
    "text",
    [
        "No devices were found by the second scan, so it was repeated",
        "Unable to determine the device handle for GPU0000:3B:00.0: Insufficient Permissions",
        "could not communicate with the NVIDIA driver of the other vendor",
        "NVIDIA-SMI 550.54.15",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(NvidiaSmiErrors, text) == []
