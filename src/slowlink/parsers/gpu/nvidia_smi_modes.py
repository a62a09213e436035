"""Modes of GPUs that ``nvidia-smi`` prints by commands of their own: ``mig -lgi``, ``mig -lci`` and ``conf-compute``::

    | GPU instances:                                        |
    | GPU   Name             Profile  Instance   Placement  |
    |   0  MIG 3g.40gb          9        1          0:4     |

    CC status: ON

A GPU with an instance is in MIG mode. An instance is a part of a GPU, and has neither NVLink nor peer-to-peer; with
confidential computing (CC) what leaves the GPU is encrypted.

Source: NVIDIA's MIG user guide for drivers 450 to 580, and its deployment guides for confidential computing (535 to
580).
"""

from __future__ import annotations

import re
from typing import ClassVar

from slowlink.parsers.forms.reading_table import LineFact, ReadingParser
from slowlink.patterns import regex


def _on(_match: re.Match[str]) -> bool:
    return True


def _status(match: re.Match[str]) -> bool:
    return match["value"].upper() == "ON"


_ROW = (
    r"\|\s{1,6}(?P<gpu>\d{1,3})(?:\s{1,8}\d{1,3})?\s{1,8}MIG \d{1,2}[gc]\.[\w.+-]{2,30}(?:\s{1,14}\d{1,4}){2}"
    r"\s{1,14}\d{1,2}:\d{1,2}\s{1,8}\|\s*$"
)

FACTS = (
    LineFact(
        "gpu-mig",
        " MIG ",
        _ROW,
        {
            "|   0  MIG 3g.40gb          9        1          0:4     |": True,
            "|   0      1       MIG 1c.3g.40gb       0         0          0:1     |": True,
        },
        convert=_on,
        part="{gpu}",
        told_by=("|",),
    ),
    LineFact(
        "gpu-confidential-computing",
        "CC status:",
        r"CC status: (?P<value>ON|OFF)\s*$",
        {"CC status: ON": True, "CC status: OFF": False},
        convert=_status,
    ),
    LineFact(
        "gpu-confidential-computing",
        "CC State",
        r"^\s{0,8}CC State\s{1,40}: (?P<value>ON|OFF)\s*$",
        {"    CC State                   : ON": True, "    CC State                   : OFF": False},
        convert=_status,
    ),
)


class NvidiaSmiModes(ReadingParser):
    """MIG mode of each GPU that has instances, and confidential computing of the node."""

    kind: ClassVar[str] = "nvidia-smi"
    digits_alike: ClassVar[bool] = True
    facts: ClassVar[tuple[LineFact, ...]] = FACTS
    legend_marks = (
        *("instances:", "Profile", "Instance ", "Start:Size", "\n| ", "+-", "|="),
        *("\nConfidential Compute ", "\nCC ", "\nMulti-GPU ", "Capabilities", "CONF-COMPUTE", "\nNo "),
    )
    legend: ClassVar[re.Pattern[str] | None] = regex(
        r"\s{0,4}\|\s{1,40}(?:GPU instances:|Compute instances:|GPU\s{1,12}(?:GPU\s{1,12})?Name\s{1,24}Profile\s.{0,60}"
        r"|Instance\s{1,40}ID\s.{0,60}|ID\s{1,8}ID\s{1,8}Start:Size|ID)\s{1,80}\|\s*$"
        r"|(?:Confidential Compute GPUs Ready state|CC GPUs Ready State|Multi-GPU Mode|CC (?:Environment|State)):"
        r" .{1,40}$|\s{0,8}(?:Multi-GPU Mode|[CG]PU CC Capabilities|CC GPUs Ready State)\s{1,40}: .{1,40}$"
        r"|={8,20}NVSMI CONF-COMPUTE LOG={8,20}\s*$"
        # what mig -lgi and -lci say of GPUs that are not divided, which is the usual
        r"|No (?:GPU|compute) instances found: Not Found\s*$|No MIG-enabled devices found\.?\s*$"
        r"|\s{0,4}(?:\+(?:-{55}|-{68})\+|\|(?:={55}|={68})\|)\s*$"
    )


PARSER = NvidiaSmiModes
