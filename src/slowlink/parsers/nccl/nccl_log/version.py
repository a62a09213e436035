"""Versions of the library and of what it runs on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.model.nccl import ComponentVersion, LibraryVersion
from slowlink.parsers.nccl.nccl_log.message import At, Keep, NcclMessage, Sample, harmless, sample


def _library(match: re.Match[str], at: At) -> Iterator[LibraryVersion]:
    yield LibraryVersion(match["library"], match["version"], match["runtime"], at.process, at.ref)


def _loaded(match: re.Match[str], at: At) -> Iterator[LibraryVersion]:
    yield LibraryVersion("NCCL", match["version"], None, at.process, at.ref)


_COMPONENTS = {
    "NCCL git version": "nccl-git",
    "cudaDriverVersion": "cuda-driver",
    "HIP version": "hip",
    "ROCm version": "rocm",
    "Kernel version": "kernel",
    "NET/OFI Initializing aws-ofi-nccl": "aws-ofi-nccl",
    "NET/OFI Using aws-ofi-nccl": "aws-ofi-nccl",
    "NET/OFI Using Libfabric version": "libfabric",
    "GDRCOPY enabled library": "gdrcopy",
}


def _component(match: re.Match[str], at: At) -> Iterator[ComponentVersion]:
    yield ComponentVersion(_COMPONENTS[match["what"]], match["version"], at.process, at.ref)


def _cuda(match: re.Match[str], at: At) -> Iterator[ComponentVersion]:
    yield ComponentVersion("cuda-driver", match["driver"], at.process, at.ref)
    if match["runtime"]:
        yield ComponentVersion("cuda-runtime", match["runtime"], at.process, at.ref)


MESSAGES = (
    NcclMessage(
        r"(?P<library>[NRM]CCL) version(?: ?:)? +(?P<version>\d+(?:\.\d+)+)(?P<suffix>[^\s+]*)(?:\+(?P<runtime>\S+))?",
        (
            *sample("all", "NCCL version 2.21.5+cuda12.4", "NCCL version 2.30.7+cuda13.3"),
            *sample(
                "RCCL 2.18-2.22",
                "NCCL version 2.18.6-a1b2c3d+hip6.1",
                "RCCL version 2.22.3+hip6.3 HEAD:5a2d1e7",
            ),
            *sample("RCCL 2.26+", "RCCL version : 2.26.6-rccl/gfx942:0f1e2d3"),
            *sample("MCCL", "MCCL version 2.16.5+maca2.32.0"),
        ),
        _library,
        bare=True,
    ),
    NcclMessage(  # what vLLM and SGLang loaded (pynccl.py)
        r"(?:vLLM|sglang) is using nccl==(?P<version>\d+(?:\.\d+)+)$",
        sample("all", "vLLM is using nccl==2.27.3", "sglang is using nccl==2.27.3"),
        _loaded,
        bare=True,
    ),
    NcclMessage(
        r"(?P<what>NCCL git version) (?P<version>\S+(?: \S+)?)",
        sample("2.29+", "NCCL git version master 1a2b3c4d5"),
        _component,
        bare=True,
    ),
    NcclMessage(
        r"(?P<what>cudaDriverVersion) (?P<version>\d+)",
        sample("2.13+", "cudaDriverVersion 12040"),
        _component,
        subsystem="INIT",
        bare=True,
    ),
    NcclMessage(
        r"(?P<what>HIP version|ROCm version|Kernel version) *: *(?P<version>\S+)",
        sample(
            "RCCL",
            "HIP version  : 6.4.43482-0f2d60242",
            "ROCm version : 6.4.0.0-47-abcdef0",
            "Kernel version: 5.15.0-105-generic",
        ),
        _component,
        bare=True,
    ),
    NcclMessage(
        r"(?P<what>NET/OFI (?:Initializing aws-ofi-nccl|Using aws-ofi-nccl|Using Libfabric version)) (?P<version>\S+)",
        sample(
            "aws-ofi-nccl",
            "NET/OFI Initializing aws-ofi-nccl 1.13.2-aws",
            "NET/OFI Using aws-ofi-nccl 1.6.0",
            "NET/OFI Using Libfabric version 1.22",
        ),
        _component,
        bare=True,
    ),
    NcclMessage(
        r"NET/OFI Using CUDA driver version (?P<driver>\d+)(?: with runtime (?P<runtime>\d+))?",
        sample(
            "aws-ofi-nccl",
            "NET/OFI Using CUDA driver version 12040",
            "NET/OFI Using CUDA driver version 12080 with runtime 12060",
        ),
        _cuda,
    ),
    NcclMessage(
        r"(?P<what>GDRCOPY enabled library) (?P<version>[\d.]+) driver [\d.]+",
        sample("2.10+", "GDRCOPY enabled library 2.4 driver 2.4"),
        _component,
        subsystem="INIT",
    ),
    NcclMessage(
        r"(?:Librccl path|Hostname) +: \S",
        sample("RCCL 2.26+", "Librccl path : /opt/rocm/lib/librccl.so.1", "Hostname     : node1"),
        None,
        Keep.NOTHING,
        bare=True,
    ),
    harmless(r"RCCL_\w+|HIP_\w+", Sample("RCCL", "HIP_VISIBLE_DEVICES 0,1")),
)
