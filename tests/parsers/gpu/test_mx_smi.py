"""mx-smi: tables of two versions."""

from __future__ import annotations

import re

from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.gpu.mx_smi import MxSmi

OLD = """\
mx-smi  version: 2.1.9

=================== MetaX System Management Interface Log ===================
Timestamp                                         : Mon Jan  6 10:00:00 2031

Attached GPUs                                     : 1
+---------------------------------------------------------------------------------+
| MX-SMI 2.1.9                        Kernel Mode Driver Version: 2.5.2           |
| MACA Version: 2.23.0.1              BIOS Version: 1.13.4.0                      |
|------------------------------------+---------------------+----------------------+
| GPU         NAME                   | Bus-id              | GPU-Util             |
| Temp        Pwr:Usage/Cap          | Memory-Usage        |                      |
|====================================+=====================+======================|
| 2           MetaX C500             | 0000:1b:00.0        | 7%                   |
| 44C         61W / 350W             | 914/65536 MiB       |                      |
+------------------------------------+---------------------+----------------------+

+---------------------------------------------------------------------------------+
| Process:                                                                        |
|  GPU                    PID         Process Name                 GPU Memory     |
|                                                                  Usage(MiB)     |
|=================================================================================|
|  2                      4711        /usr/bin/python3             896            |
+---------------------------------------------------------------------------------+

End of Log
""".splitlines()

NEW = """\
|------------------+-----------------+---------------------+----------------------|
| MX-SMI 2.2.9                        Kernel Mode Driver Version: 3.3.12          |
| Board       Name | GPU   Persist-M | Bus-id              | GPU-Util      sGPU-M |
| Pwr:Usage/Cap    | Temp       Perf | Memory-Usage        | GPU-State            |
|==================+=================+=====================+======================|
| 0     MetaX C500 | 0           Off | 0000:0e:00.0        | 0%          Disabled |
| 56W / 350W       | 36C          P0 | 826/65536 MiB       | Available            |
+------------------+-----------------+---------------------+----------------------+
| Process:                                                                        |
|  no process found                                                               |
+---------------------------------------------------------------------------------+
""".splitlines()


def told(lines: list[str]) -> list[tuple[str, str, object]]:
    return [(found.attribute, found.part.name, found.value) for found in feed(MxSmi, lines)]


def test_two_rows_a_gpu() -> None:
    assert told(OLD) == snapshot(
        [
            ("mx-smi-version", "", "2.1.9"),
            ("gpu-count", "", 1),
            ("mx-smi-version", "", "2.1.9"),
            ("driver-version", "", "2.5.2"),
            ("maca-version", "", "2.23.0.1"),
            ("gpu-name", "2", "MetaX C500"),
            ("gpu-bus-id", "2", "0000:1b:00.0"),
            ("gpu-utilisation", "2", 7.0),
            ("gpu-temperature", "2", 44.0),
            ("gpu-power", "2", 61.0),
            ("gpu-power-limit", "2", 350.0),
            ("gpu-memory-used", "2", 958398464),
            ("gpu-memory-total", "2", 68719476736),
            ("process-name", "4711", "python3"),
            ("process-gpu", "4711", "2"),
            ("process-gpu-memory", "4711", 939524096),
        ]
    )


def test_the_columns_of_later_versions() -> None:
    assert told(NEW) == snapshot(
        [
            ("mx-smi-version", "", "2.2.9"),
            ("driver-version", "", "3.3.12"),
            ("gpu-name", "0", "MetaX C500"),
            ("gpu-bus-id", "0", "0000:0e:00.0"),
            ("gpu-utilisation", "0", 0.0),
            ("gpu-temperature", "0", 36.0),
            ("gpu-power", "0", 56.0),
            ("gpu-power-limit", "0", 350.0),
            ("gpu-memory-used", "0", 866123776),
            ("gpu-memory-total", "0", 68719476736),
            ("gpu-pstate", "0", "P0"),
            ("gpu-state", "0", "Available"),
            ("gpu-processes-listed", "", 0),
        ]
    )


def test_other_tools_boxes_are_not_ours() -> None:
    nvidia = [
        "| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |",
        "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:1B:00.0 Off |                    0 |",
        "| N/A   28C    P0             70W /  700W |       1MiB /  81559MiB |      0%      Default |",
        "Attached GPUs                             : 8",
    ]
    assert told(nvidia) == []


def test_which_digits_stand_in_a_line_does_not_matter() -> None:
    for text in (*OLD, *NEW):
        assert MxSmi.wants(text) == MxSmi.wants(re.sub(r"\d", "0", text))


@given(st.lists(st.sampled_from([*OLD, *NEW, "", "text"]), max_size=30), st.integers(0, 90))
def test_any_order_and_any_cut_give_true_values(lines: list[str], cut: int) -> None:
    known = {entry[2] for entry in (*told(OLD), *told(NEW))}
    assert {
        value for name, _, value in told([line[:cut] for line in lines]) if name in ("gpu-bus-id", "gpu-count")
    } <= known
