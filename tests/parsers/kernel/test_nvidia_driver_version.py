"""The version of NVIDIA's driver that was loaded, and of a library that does not fit."""

from __future__ import annotations

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.kernel.nvidia_driver_version import NvidiaDriverVersion

LOADED = """\
[    9.2] nvidia 0000:3b:00.0: enabling device (0140 -> 0142)
[    9.3] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.99.01  Release Build  (dvs-builder@x)
[    9.6] nvidia-persistenced[412]: Started (412)
"""


def told(text: str) -> list[tuple[str, object]]:
    return [(found.attribute, found.value) for found in feed(NvidiaDriverVersion, text.splitlines())]


def test_the_version_of_the_module_that_was_loaded() -> None:
    assert told(LOADED) == snapshot([("driver-version", "570.99.01")])
    assert told(
        "[ 9.3] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.99.01  Tue Mar  5 22:23:56 UTC 2024"
    ) == snapshot([("driver-version", "535.99.01")])


def test_the_library_that_does_not_fit() -> None:
    assert told("NVML library version: 550.127") == snapshot([("nvml-version", "550.127")])


@given(st.lists(st.sampled_from(LOADED.splitlines()) | st.text(max_size=80), max_size=12), st.integers(0, 60))
def test_any_text(lines: list[str], cut: int) -> None:
    for found in feed(NvidiaDriverVersion, [line[cut:] for line in lines]):
        assert found.attribute in ("driver-version", "nvml-version")
