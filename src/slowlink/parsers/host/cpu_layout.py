"""What a node's CPUs are: ``lscpu`` and ``numactl --hardware``::

    Architecture:             x86_64
    CPU(s):                   192
    Model name:               AMD EPYC 9654 96-Core Processor
    Thread(s) per core:       1
    Socket(s):                2
    NUMA node(s):             8

Newer releases of lscpu indent by topic, older ones do not. lscpu translates its words; other languages are read by
``lscpu_translated``. ``numactl`` states the number of NUMA nodes only (``available: 8 nodes (0-7)``).

Source: ``sys-utils/lscpu.c`` of util-linux 2.3x to 2.40, ``numactl.c`` of numactl 2.0.
"""

from __future__ import annotations

import re
from typing import ClassVar

from slowlink.model.state import Value
from slowlink.parsers.forms.make_reading import whole
from slowlink.parsers.forms.reading_table import LineFact, ReadingParser
from slowlink.patterns import regex


def _number(match: re.Match[str]) -> Value | None:
    return whole(match["value"])


FACTS = (
    LineFact(
        "cpu-model",
        "odel name",
        r"(?:BIOS )?Model name: {1,40}(?P<value>\S(?:\s?\S){0,120})\s*$",
        {"Model name:             AMD EPYC 9654 96-Core Processor": "AMD EPYC 9654 96-Core Processor"},
    ),
    LineFact(
        "cpu-count", "CPU(s):", r"CPU\(s\): {1,40}(?P<value>\d{1,5})\s*$", {"CPU(s):                 192": 192}, _number
    ),
    LineFact(
        "cpu-sockets",
        "Socket(s):",
        r"Socket\(s\): {1,40}(?P<value>\d{1,4})\s*$",
        {"Socket(s):              2": 2},
        _number,
    ),
    LineFact(
        "cpu-threads-per-core",
        "Thread(s) per core:",
        r"Thread\(s\) per core: {1,40}(?P<value>\d{1,2})\s*$",
        {"  Thread(s) per core:    1": 1},
        _number,
    ),
    LineFact(
        "numa-nodes",
        "NUMA node(s):",
        r"NUMA node\(s\): {1,40}(?P<value>\d{1,4})\s*$",
        {"NUMA node(s):           8": 8},
        _number,
    ),
    LineFact(
        "numa-nodes",
        "available: ",
        r"available: (?P<value>\d{1,4}) nodes? \(",
        {"available: 2 nodes (0-1)": 2, "available: 1 node (0)": 1},
        _number,
    ),
)
_LSCPU = (
    r"(?:Architecture|CPU op-mode\(s\)|Byte Order|Address sizes|On-line CPU\(s\) list|Off-line CPU\(s\) list|Vendor ID"
    r"|BIOS Vendor ID|CPU family|Model|Core\(s\) per (?:socket|cluster)|Cluster\(s\)|Stepping|Frequency boost"
    r"|CPU(?:\(s\) scaling)? (?:max |min )?MHz|BogoMIPS|Flags|Virtualization(?: type)?|Hypervisor vendor"
    r"|Caches \(sum of all\)"
    r"|L\d[di]?(?: cache)?|NUMA|NUMA node\d{1,4} CPU\(s\)|Vulnerabilities|Vulnerability [\w -]{3,40}"
    r"|Gather data sampling"
    r"|Itlb multihit|L\dtf|Mds|Meltdown|Mmio stale data|Reg file data sampling|Retbleed|Spec rstack overflow"
    r"|Spec store bypass|Spectre v\d|Srbds|Tsx async abort|Ghostwrite|Indirect target selection|Tsa|Vmscape)"
)


class CpuLayout(ReadingParser):
    """Model of the CPUs; how many CPUs, sockets, threads per core and NUMA nodes there are."""

    kind: ClassVar[str] = "cpu-layout"
    facts: ClassVar[tuple[LineFact, ...]] = FACTS
    legend_marks = (":  ", "\nNUMA", "Vulnerabilities:", "(sum of all):", "\nnode ", "node distances:", "\n0: ")
    legend: ClassVar[re.Pattern[str] | None] = regex(
        rf"\s{{0,8}}{_LSCPU}: {{2,40}}\S|\s{{0,8}}(?:NUMA(?: node\d{{1,4}} CPU\(s\))?|Vulnerabilities"
        rf"|Caches \(sum of all\)):\s{{0,40}}$|node \d{{1,4}} (?:cpus|size|free):|node distances:"
        rf"|node(?: {{1,4}}\d{{1,4}}){{1,64}}\s{{0,4}}$"
        r"|\s{1,4}\d{1,3}: {1,4}\d{1,3}(?: {1,4}\d{1,3}){0,64}\s{0,4}$"
    )


PARSER = CpuLayout
