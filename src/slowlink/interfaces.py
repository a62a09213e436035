"""Lists of interfaces and HCAs as communication libraries read them from variables: ``^=mlx5_0:1,mlx5_1``, ``eth``.

Sources: NCCL's parser of such lists (misc/utils: a leading ^ leaves out, a leading = takes whole names, else names are
prefixes; ``:1`` is a port) with its documentation of NCCL_IB_HCA and NCCL_SOCKET_IFNAME; UCX_NET_DEVICES, which takes
whole names with their port; Gloo and Open MPI, which take whole names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

_PREFIXES = "prefixes"
_WHOLE = "whole names"
_LISTS: Mapping[str, tuple[str, str]] = {
    **{f"{library}_IB_HCA": ("infiniband", _PREFIXES) for library in ("NCCL", "MCCL", "RCCL")},
    **{f"{library}_SOCKET_IFNAME": ("net", _PREFIXES) for library in ("NCCL", "MCCL", "RCCL")},
    "UCX_NET_DEVICES": ("both", _WHOLE),
    "GLOO_SOCKET_IFNAME": ("net", _WHOLE),
    "TP_SOCKET_IFNAME": ("net", _WHOLE),
    "OMPI_MCA_btl_tcp_if_include": ("net", _WHOLE),
    "OMPI_MCA_oob_tcp_if_include": ("net", _WHOLE),
    "PRTE_MCA_oob_tcp_if_include": ("net", _WHOLE),
}
"""Variable -> whose names it holds, and how they are compared."""


class InterfaceList(Struct, frozen=True):
    """What such a variable asks for."""

    kind: str
    """``infiniband`` (HCAs), ``net`` (network interfaces), ``both``."""
    names: tuple[str, ...]
    """As written: ``mlx5_0:1``."""
    leaves_out: bool
    whole: bool

    def absent(self, devices: Iterable[str]) -> tuple[str, ...]:
        """Names that stand for none of ``devices`` (``mlx5_0:1``: an HCA with its port; ``eth0``). A name that is left
        out need not be there."""
        there = list(devices)
        if self.leaves_out:
            return ()
        return tuple(name for name in self.names if not any(self._is(name, device) for device in there))

    def _is(self, name: str, device: str) -> bool:
        wanted, _, port = name.partition(":")
        found, _, own_port = device.partition(":")
        same = found == wanted if self.whole else found.startswith(wanted)
        return same and (not port or not own_port or port == own_port)


def interface_list(variable: str, value: str) -> InterfaceList | None:
    """What ``variable`` asks for with this value; None for another variable, and for one that names no interface."""
    known = _LISTS.get(variable)
    text = value.strip()
    if known is None or not text or text == "all":
        return None
    kind, how = known
    leaves_out = text.startswith("^")
    text = text.removeprefix("^")
    whole = how == _WHOLE or text.startswith("=")
    # Open MPI takes subnets, too: 10.0.0.0/16 is no name. NCCL knows IPv6 addresses nowhere in these lists.
    names = tuple(part.strip() for part in text.removeprefix("=").split(",") if part.strip() and "/" not in part)
    return InterfaceList(kind, names, leaves_out, whole) if names else None
