"""Values of HCAs and their ports in one spelling, whichever tool prints them.

``ibstat`` says ``Active``, sysfs ``4: ACTIVE``, ``ibv_devinfo`` ``PORT_ACTIVE (4)`` and ``rdma link`` ``ACTIVE``.
Functions give None for what says nothing. Source of the spellings: rdma-core's ``ibstat`` and ``devinfo``, iproute2's
``rdma``, and ``drivers/infiniband/core/sysfs.c``.
"""

from __future__ import annotations

import ipaddress
import re

from slowlink.patterns import regex

HCA_NAME = r"[A-Za-z][\w.-]{1,40}"
"""What the kernel and udev call an RDMA device: ``mlx5_0``, ``mlx5_bond_0``, ``rocep1s0f0``, ``ibp12s0``, ``efa_0``."""
RDMA_NAME = (
    r"(?:(?:mlx\d_|efa|bnxt_re|irdma|ionic|hns|hfi1|cxgb4|qedr|siw|rxe|erdma|mana|mthca|iwp?|rocep?|roceP|ibP|ibp|rdmap)"
    r"[\w.-]{0,40}\d[\w.-]{0,8})"
)
"""The same where nothing around a word says that it is an RDMA device."""
RDMA_SHAPE = RDMA_NAME.replace("hfi1", r"hfi\d").replace("cxgb4", r"cxgb\d")
"""The same of any numbers."""
RDMA_STARTS = (
    *("mlx0_", "efa", "bnxt_re", "irdma", "ionic", "hns", "hfi0", "cxgb0", "qedr", "siw", "rxe", "erdma", "mana"),
    *("mthca", "iw", "roce", "ibP", "ibp", "rdmap"),
)
"""How forms of such names begin."""

_STATES = {
    "down": "Down",
    "init": "Init",
    "initializing": "Init",
    "initialize": "Init",
    "armed": "Armed",
    "active": "Active",
    "activedefer": "Active",
}
_PHYSICAL = {
    "sleep": "Sleep",
    "polling": "Polling",
    "disabled": "Disabled",
    "portconfigurationtraining": "PortConfigurationTraining",
    "portconfigurationtrainning": "PortConfigurationTraining",
    "linkup": "LinkUp",
    "linkerrorrecovery": "LinkErrorRecovery",
    "linkerrorrecover": "LinkErrorRecovery",
    "phytest": "PhyTest",
}
_LAYERS = {"infiniband": "InfiniBand", "ib": "InfiniBand", "ethernet": "Ethernet", "eth": "Ethernet"}
_RATE = regex(r"(\d{1,5}(?:\.\d{1,3})?)(?: ?(?:Gb/s(?:ec)?|Gbps|\(|$))")
_CARD = regex(r"(ConnectX|BlueField)[- ]?(\d{1,2})( ?(?:Dx|Lx|Ex)\b)?", re.IGNORECASE)
_EXPLODED = regex(r"(?:[0-9a-f]{4}:){7}[0-9a-f]{4}", re.ASCII)
_WIDTH = regex(r"\((\d{1,2})[xX][ )]")


def _squeezed(text: str) -> str:
    """Letters alone, in lower case: ``5: LinkUp``, ``LINK_UP (5)`` and ``LinkUp`` are one."""
    return "".join(letter for letter in text[:60].lower() if letter.isascii() and letter.isalpha())


def port_state(text: str) -> str | None:
    """``Down Init Armed Active``."""
    return _STATES.get(_squeezed(text).removeprefix("port"))


def physical_state(text: str) -> str | None:
    """``Sleep Polling Disabled PortConfigurationTraining LinkUp LinkErrorRecovery PhyTest``."""
    return _PHYSICAL.get(_squeezed(text))


def link_layer(text: str) -> str | None:
    """``InfiniBand`` or ``Ethernet``."""
    return _LAYERS.get(_squeezed(text))


def rate_gbit(text: str) -> float | None:
    """``400``, ``400 Gb/sec (4X NDR)`` and ``56 (FDR10)`` in Gb/s; None for 0, which a port without link prints."""
    found = _RATE.match(text.strip())
    return float(found[1]) or None if found else None


def width(text: str) -> int | None:
    """Lanes of ``400 Gb/sec (4X NDR)`` and of ``4X (2)``."""
    found = _WIDTH.search(text) or re.match(r"(\d{1,2})X ", text)
    return int(found[1]) if found else None


def mtu_bytes(text: str) -> int | None:
    """``4096 (5)`` and ``4096``."""
    found = re.match(r"\d{2,5}(?= |$)", text.strip())
    return int(found[0]) if found else None


def guid(text: str) -> str | None:
    """16 hex digits of ``0x506b...``, ``506b:4b03:...`` and ``506b...``; None for zero, which is no GUID."""
    digits = text.strip().lower().removeprefix("0x").replace(":", "")
    return digits if re.fullmatch(r"[0-9a-f]{16}", digits) and digits.strip("0") else None


def gid(text: str) -> str | None:
    """Eight groups of four digits, as sysfs prints it; None for the empty slot."""
    if _EXPLODED.fullmatch(text) is not None:  # as sysfs prints thousands of them
        return text if text.strip("0:") else None
    try:
        address = ipaddress.IPv6Address(text.strip())
    except ValueError:
        return None
    return address.exploded if int(address) else None


def gid_ipv4(text: str) -> str | None:
    """The IPv4 address inside a GID; None when there is none."""
    known = gid(text)
    mapped = ipaddress.IPv6Address(known).ipv4_mapped if known else None
    return str(mapped) if mapped else None


def gid_type(text: str) -> str | None:
    """``IB/RoCE v1`` (InfiniBand's only kind, and RoCE's first) or ``RoCE v2``, in the kernel's spelling."""
    kind = text.strip().lower()
    if kind.endswith("v2"):
        return "RoCE v2"
    return "IB/RoCE v1" if kind.endswith("v1") or kind == "ib" else None


def card(text: str) -> str | None:
    """The family of an adapter named in ``text``: ``ConnectX-7``, ``BlueField-3``."""
    found = _CARD.search(text)
    return f"{'ConnectX' if found[1][0] in 'cC' else 'BlueField'}-{found[2]}{found[3] or ''}" if found else None


def pkey(text: str) -> str | None:
    """``0xffff``; None for 0, the empty slot."""
    found = re.fullmatch(r"0[xX]([0-9a-fA-F]{1,4})", text.strip())
    return f"0x{int(found[1], 16):04x}" if found and int(found[1], 16) else None


def lid(text: str) -> int | None:
    """A decimal or hexadecimal LID."""
    text = text.strip()
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,8}", text):
        return int(text, 16)
    return int(text) if re.fullmatch(r"\d{1,10}", text, re.ASCII) else None
