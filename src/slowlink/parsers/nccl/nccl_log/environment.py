"""Announcements of environment variables. A variable is announced when it is first read, not when it is set."""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.model.nccl import EnvSetting
from slowlink.parsers.nccl.nccl_log.message import At, NcclMessage, Read, harmless, sample

_PRINTED_AS = {"NCCL_MAX_P2P_PEERS": "NCCL_P2P_MAX_PEERS"}
"""Variables that the library announces under another name than the one it reads."""


def _setting(match: re.Match[str], at: At) -> Iterator[EnvSetting]:
    value = match["value"].rstrip()
    if re.fullmatch(r"-?\d+\.", value):
        value = value[:-1]  # integers are announced with a full stop, strings without
    name = _PRINTED_AS.get(match["name"], match["name"])
    yield EnvSetting(name, value, "log", at.process, at.ref)


def _default(match: re.Match[str], at: At) -> Iterator[EnvSetting]:
    yield EnvSetting(match["name"], match["value"], "default", at.process, at.ref)


_OFI = "the plug-in aws-ofi-nccl"
_OFI_VALUES = {"512KiB": "524288"}


def _made(match: re.Match[str], at: At) -> Iterator[EnvSetting]:
    """What the plug-in puts into the environment before NCCL reads it."""
    value = match["value"].strip('"')
    yield EnvSetting(match["name"], _OFI_VALUES.get(value, value), "plugin", at.process, at.ref, _OFI)


def _made_as(name: str, value: str) -> Read:
    """For a message that says what the plug-in does, and not with which variable."""

    def read(_match: re.Match[str], at: At) -> Iterator[EnvSetting]:
        yield EnvSetting(name, value, "plugin", at.process, at.ref, _OFI)

    return read


def _topology_file(match: re.Match[str], at: At) -> Iterator[EnvSetting]:
    yield EnvSetting("NCCL_TOPO_FILE", match["value"], "plugin", at.process, at.ref, _OFI)


MESSAGES = (
    NcclMessage(
        r"(?P<name>[NRM]CCL_[A-Z0-9_]+) set (?:by environment )?to (?P<value>\S.*)",
        (
            *sample(
                "all",
                "NCCL_IB_DISABLE set by environment to 1.",
                "NCCL_NET_GDR_LEVEL set by environment to PHB",
            ),
            *sample("all", "NCCL_SOCKET_IFNAME set to eth0", "NCCL_IB_HCA set to =mlx5_0,mlx5_1"),
            *sample("MCCL", "MCCL_CROSS_NIC set by environment to 1."),
            *sample("RCCL", "RCCL_MSCCL_ENABLE set by environment to 0."),
        ),
        _setting,
        subsystem="ENV",
        bare=True,
    ),
    NcclMessage(
        r"NET/OFI (?:Running on .{1,60}? platform, )?(?:Setting|Adding) (?P<name>NCCL_[A-Z0-9_]+)"
        r"(?: environment variable to |=| to )(?P<value>[^\s,]+)(?: to environment$| for |$)",
        sample(
            "aws-ofi-nccl",
            "NET/OFI Running on p4d.24xlarge platform, Setting NCCL_TOPO_FILE environment variable to /opt/a/p4d.xml",
            "NET/OFI Setting NCCL_TOPO_FILE environment variable to /proc/self/fd/61",
            "NET/OFI Adding NCCL_BUFFSIZE=8388608 to environment",
            'NET/OFI Setting NCCL_PROTO to "simple"',
            "NET/OFI Setting NCCL_NVLS_CHUNKSIZE to 512KiB",
            "NET/OFI Setting NCCL_NET_FORCE_FLUSH=0 for Hopper GPUs",
        ),
        _made,
    ),
    NcclMessage(
        r"NET/OFI Running on .{1,60}? platform, topology file (?P<value>/\S+)",
        sample("aws-ofi-nccl", "NET/OFI Running on p4d.24xlarge platform, topology file /opt/a/p4d.xml"),
        _topology_file,
    ),
    NcclMessage(
        r"NET/OFI Disabling NVLS support due to NCCL version",
        sample("aws-ofi-nccl", "NET/OFI Disabling NVLS support due to NCCL version 21703"),
        _made_as("NCCL_NVLS_ENABLE", "0"),
    ),
    NcclMessage(
        r"NET/OFI Need to force simple protocol",
        sample("aws-ofi-nccl", "NET/OFI Need to force simple protocol: order requests not supported"),
        _made_as("NCCL_PROTO", "simple"),
    ),
    NcclMessage(
        r"Invalid value (?P<value>.{0,200}?) for (?P<name>[NRM]CCL_[A-Z0-9_]+), using default (?P<default>-?\d+)\.",
        sample("all", "Invalid value yes for NCCL_IB_DISABLE, using default 0."),
        _default,
    ),
    harmless(
        r"Comm config |User asked for a m|NCCL_CTA_POLICY|[NRM]CCL_[A-Z0-9_]+\b",
        *sample(
            "2.17+",
            "Comm config Blocking set to 1",
            "User asked for a minimum of 32 channels, limiting to 16",
            "NCCL_CTA_POLICY=EFFICIENCY to 1",
        ),
    ),
    harmless(
        r"(?:Enabled|Disabled) NCCL Func/Proto/Algo Matrix:|NCCL_ALGO|Stack size limit",
        *sample(
            "2.24+",
            "Enabled NCCL Func/Proto/Algo Matrix:",
            "Stack size limit (unlimited) is unsafe; will use 2048KB for newly launched threads",
        ),
    ),
)
