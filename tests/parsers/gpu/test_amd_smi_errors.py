"""rocm-smi and amd-smi that reach no GPU."""

from __future__ import annotations

import pytest
from event_logs import events_of
from inline_snapshot import snapshot

from slowlink.parsers.gpu.amd_smi_errors import AmdSmiErrors

OUTPUT = """\
[root@mi07 ~]# rocm-smi
cat: /sys/module/amdgpu/initstate: No such file or directory
ERROR:root:Driver not initialized (amdgpu not found in modules)
[root@mi08 ~]# amd-smi list
ERROR:root:Unable to detect any GPU devices, check amdgpu version and module status (sudo modprobe amdgpu)
[root@mi09 ~]# rocm-smi
ERROR: AMDGPU driver not loaded
"""


def test_each_way_to_say_that_there_is_no_driver() -> None:
    assert events_of(AmdSmiErrors, OUTPUT) == snapshot(
        [
            ("amd-smi-no-driver", None, None, {}, 1),
            ("amd-smi-no-driver", None, None, {}, 1),
            ("amd-smi-no-driver", None, None, {}, 1),
        ]
    )


def test_a_message_that_is_cut_is_no_event() -> None:
    assert events_of(AmdSmiErrors, "ERROR:root:Driver not initialized (amdgpu not found in mod") == []


@pytest.mark.parametrize(
    "text",
    [
        "amdgpu not found in modules of this image, installing it",
        "[    3.1] mlx5 driver not loaded",
        "check amdgpu version first",
    ],
)
def test_other_lines_are_no_events(text: str) -> None:
    assert events_of(AmdSmiErrors, text) == []
