"""``npu-smi info -t TYPE -i ID`` of Ascend: health, memory errors and sensors of one NPU as ``key : value``::

        NPU ID                         : 0
        Chip Count                     : 1

        HBM Double Bit Error Count                   : 12
        HBM Double Bit Isolated Pages Count          : 12
        Health Status                  : Alarm

``-t health`` does not say whose it is: the command above it does. Chips of one NPU are not told apart, so that what is
well in one of them proves nothing: only errors and bad states give a reading.

Source: the manual of npu-smi 23.0 to 25.5 (``common``, ``ecc``, ``health``, ``power``, ``temp``, ``usages``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from slowlink.parsers.forms.keyed_blocks import Key, KeyedBlocks
from slowlink.parsers.forms.make_reading import number, whole
from slowlink.patterns import regex


def _errors(value: str) -> int | None:
    return whole(value) or None


def _bad_state(value: str) -> str | None:
    return value if value in ("Warning", "Alarm", "Critical", "Error") else None


_QUIET = (
    *("Chip Count", "Chip ID", "Error Code", "Error Information", "Memory Usage Rate(%)", "HBM Usage Rate(%)"),
    *("Hugepages Usage Rate(%)", "Aicore Usage Rate(%)", "Aicpu Usage Rate(%)", "Ctrlcpu Usage Rate(%)"),
    *("Aicore Freq(MHZ)", "Aicore curFreq(MHZ)", "Aicore Count", "DDR Single Bit Error Count"),
    *("HBM Single Bit Error Count", "HBM Single Bit Aggregate Total Err Cnt", "HBM Single Bit Isolated Pages Count"),
    *("HBM Double Bit Isolated Pages Count", "NPU Utilization(%)", "DDR Bandwidth Usage Rate(%)"),
    "HBM Bandwidth Usage Rate(%)",
)


class NpuSmiTypes(KeyedBlocks):
    """Reads the keys of the NPU that the output or its command names."""

    kind: ClassVar[str] = "npu-smi"
    marks = ("npu-smi info ", "\nNPU ID ")
    headings: ClassVar[tuple[re.Pattern[str], ...]] = (
        regex(
            r".{0,160}\bnpu-smi info -t \w{2,20} -i (?P<device>\d{1,3})(?: -c \d{1,2})?(?: ?\|.{1,120})?\s{0,8}",
        ),
        regex(r"\s{0,40}NPU ID\s{1,60}: (?P<device>\d{1,3})\s{0,8}"),
    )
    keys: ClassVar[Mapping[str, tuple[Key, ...]]] = {
        "Health Status": (Key("gpu-state", _bad_state),),
        "Health": (Key("gpu-state", _bad_state),),
        "HBM Double Bit Error Count": (Key("gpu-ecc-volatile-uncorrectable", _errors),),
        "DDR Double Bit Error Count": (Key("gpu-ecc-volatile-uncorrectable", _errors),),
        "HBM Double Bit Aggregate Total Err Cnt": (Key("gpu-ecc-aggregate-uncorrectable", _errors),),
        "Temperature(C)": (Key("gpu-temperature", number),),
        "Temperature (C)": (Key("gpu-temperature", number),),
        "NPU Real-time Power(W)": (Key("gpu-power", number),),
        "Power Dissipation(W)": (Key("gpu-power", number),),
        **dict.fromkeys(_QUIET, ()),
    }


PARSER = NpuSmiTypes
