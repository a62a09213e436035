"""Lines of NVIDIA's kernel modules."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.parsers.kernel.nvidia_driver_log import NvidiaDriverLog
from slowlink.parsers.reading.read import read

LOADED = """\
[    9.1] nvidia-nvlink: Nvlink Core is being initialized, major device number 510
[    9.2] nvidia 0000:3b:00.0: enabling device (0140 -> 0142)
[    9.3] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.99.01  Release Build  (dvs-builder@x)
[    9.4] nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  570.99.01
[    9.5] [drm] [nvidia-drm] [GPU ID 0x00003b00] Loading driver
[    9.6] nvidia-persistenced[412]: Started (412)
"""


def told(text: str) -> list[tuple[str, object]]:
    return [(found.attribute, found.value) for found in feed(NvidiaDriverLog, text.splitlines())]


def test_the_version_of_the_module_that_was_loaded() -> None:
    assert told(LOADED) == snapshot([("driver-version", "570.99.01")])
    assert told(
        "[ 9.3] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.99.01  Tue Mar  5 22:23:56 UTC 2024"
    ) == snapshot([("driver-version", "535.99.01")])


def test_a_whole_log_leaves_nothing_unread() -> None:
    (source,) = read([Input("t", None, [LOADED.encode()])], workers=1).sources
    assert (source.used, source.ignored, source.unread) == snapshot((1, 5, 0))


def test_the_library_that_does_not_fit() -> None:
    assert told("NVML library version: 550.127") == snapshot([("nvml-version", "550.127")])


@given(st.lists(st.sampled_from(LOADED.splitlines()) | st.text(max_size=80), max_size=12), st.integers(0, 60))
def test_any_text(lines: list[str], cut: int) -> None:
    for found in feed(NvidiaDriverLog, [line[cut:] for line in lines]):
        assert found.attribute in ("driver-version", "nvml-version")
