"""What NVIDIA's driver says in /proc/driver/nvidia: it answers even when nvidia-smi hangs."""

from __future__ import annotations

from slowlink.parsers.forms.make_reading import says_something
from slowlink.parsers.kernel.sysfs.paths import Convert, PathFact
from slowlink.patterns import regex

_ROOT = "/proc/driver/nvidia"
_GPU = r"proc/driver/nvidia/gpus/(?P<gpu>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])/information"
_SAMPLE = f"{_ROOT}/gpus/0000:3b:00.0/information"
_DRIVER = regex(r"NVRM version: NVIDIA UNIX .{1,60}? {1,4}(\d{2,4}\.[\d.]{1,12})(?: |$)")


def _driver(content: str) -> str | None:
    found = _DRIVER.match(content)
    return found[1] if found else None


def _labelled(label: str) -> Convert:
    """The value after ``label:``; None for other lines of the file."""

    def convert(content: str) -> str | None:
        name, mark, value = content.partition(":")
        value = value.strip()
        return value[:80] if mark and name.strip() == label and says_something(value) else None

    return convert


PATHS = (
    PathFact(
        r"proc/driver/nvidia/version",
        "driver-version",
        "",
        _driver,
        {
            f"{_ROOT}/version:NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.1.2  Tue Sep 1": "535.1.2",
            f"{_ROOT}/version:NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.3  Release": "570.3",
            f"{_ROOT}/version:GCC version:  gcc version 12.2.0": None,
        },
    ),
    PathFact(_GPU, "gpu-name", "{gpu}", _labelled("Model"), {f"{_SAMPLE}:Model: \t\t NVIDIA H100": "NVIDIA H100"}),
    PathFact(
        _GPU,
        "gpu-bus-id",
        "{gpu}",
        _labelled("Bus Location"),
        {f"{_SAMPLE}:Bus Location: \t 0000:3b:00.0": "0000:3b:00.0"},
    ),
    PathFact(
        _GPU,
        "gpu-gsp-firmware",
        "{gpu}",
        _labelled("GPU Firmware"),
        {f"{_SAMPLE}:GPU Firmware: \t 570.3": "570.3", f"{_SAMPLE}:GPU Firmware: \t N/A": None},
    ),
)
