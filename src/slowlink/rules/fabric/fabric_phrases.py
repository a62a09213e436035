"""Ports of the fabric in words, as suspects and as evidence: what rules about the fabric begin with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from slowlink.facts.fabric import FabricPort, Picture
from slowlink.model.report import Suspect
from slowlink.parsers.fabric.rates import speed_name
from slowlink.rules.evidence.findings import suspects

LOST_LINK = ("rdma-retry-exceeded", "nccl-error-unexplained", "rank-stuck", "busbw-below-expected", "slow-path")
"""What a dead or corrupting link of the fabric explains."""
SLOW_LINK = ("busbw-below-expected", "bandwidth-unstable", "straggler-nic", "slow-path", "straggler-node")
"""What a link at a lower rate explains."""
FABRIC_TOOLS = "https://github.com/linux-rdma/rdma-core/tree/master/infiniband-diags/man"
"""Manual pages of iblinkinfo, ibqueryerrors, perfquery and the like."""


def port_suspects(picture: Picture, ports: Iterable[str]) -> tuple[Suspect, ...]:
    """The ports, and the hosts of those that are adapters'."""
    names = list(dict.fromkeys(ports))
    return (*suspects("port", names), *suspects("node", (picture.host(name) for name in names)))


def rate(port: FabricPort) -> str:
    """``4x NDR``, or as much of it as is known."""
    width, speed = port.number("link-width"), port.number("link-speed")
    words = (f"{width:g}x" if width is not None else "", speed_name(speed) if speed is not None else "")
    return " ".join(filter(None, words))


def link(a: str, b: str | None) -> str:
    """``leaf1/5 - spine2/3``."""
    return f"{a} - {b}" if b else a


def some(items: Sequence[str], most: int = 3) -> str:
    """``a; b; c; and 4 more``."""
    more = len(items) - most
    return "; ".join((*items[:most], *([f"and {more} more"] if more > 0 else [])))
