"""Announcements of environment variables. A variable is announced when it is first read, not when it is set."""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.model.nccl import EnvSetting
from slowlink.parsers.nccl.nccl_log.message import At, NcclMessage, harmless, sample

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
