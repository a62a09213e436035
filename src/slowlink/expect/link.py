"""What single links should give: RDMA ports under perftest, and copies between host and GPU."""

from __future__ import annotations

from slowlink.catalog.load import table
from slowlink.model.report import Expectation

STANDARD_RATES = (10.0, 25.0, 40.0, 50.0, 56.0, 100.0, 200.0, 400.0, 800.0)
"""Port rates in Gb/s that are sold."""
ROUNDING = 1.01
"""perftest's own clock and rounding."""
_USUAL_MTU = 4096
"""What the shares of a rate in ``rates.toml`` were measured with."""


def payload_share(link_type: str | None, mtu_bytes: int | None) -> float:
    """The share of a port's rate that headers leave to RDMA with this MTU; 1 where that is not known.

    ``link_type`` as perftest prints it; ``mtu_bytes`` is RDMA's (1024, 4096), not the Ethernet's.
    """
    headers = table("rates.toml")["headers_bytes"].get(link_type or "")
    return mtu_bytes / (mtu_bytes + headers) if headers is not None and mtu_bytes else 1.0


def _lowered(share: float) -> float:
    """How much less than usual is carried because headers leave this ``share`` alone."""
    return min(1.0, share / payload_share("Ethernet", _USUAL_MTU))


def rdma_bandwidth(rate_gbit: float, subject: str, *, bidirectional: bool = False, share: float = 1.0) -> Expectation:
    """ib_write_bw and its kin on one port, Gb/s: typical 0.981 of the rate, certainly lost below 0.90.

    Holds for messages of at least 64 KiB and several queue pairs. ``share``: what headers leave (``payload_share``);
    a small MTU lowers all three.
    """
    entry = table("rates.toml")["perftest"]
    total = rate_gbit * (2 if bidirectional else 1)
    fail = entry["fail"] * (0.95 if bidirectional else 1.0)
    way = "both ways" if bidirectional else "one way"
    lowered = _lowered(share)
    return Expectation(
        "link",
        subject,
        total * entry["typical"] * lowered,
        total * fail * lowered,
        total * share,
        "Gb/s",
        f"port rate {rate_gbit:g} Gb/s, {way}, x {entry['typical'] * lowered:.3g}; {entry['source']}",
    )


def rdma_bandwidth_warn(rate_gbit: float, *, bidirectional: bool = False, share: float = 1.0) -> float:
    """Below this many Gb/s something is probably lost: published healthy ports differ by 0.2 %."""
    warn: float = table("rates.toml")["perftest"]["warn"]
    return rate_gbit * warn * (1.9 if bidirectional else 1.0) * _lowered(share)


def rdma_latency(subject: str) -> Expectation:
    """ib_write_lat and its kin for small messages, microseconds."""
    entry = table("rates.toml")["perftest"]
    typical, fail = entry["latency_typical_us"], entry["latency_fail_us"]
    return Expectation("latency", subject, typical, 0.0, fail, "us", entry["source"])


def nearest_rate(measured_gbit: float, share: float = 1.0) -> float | None:
    """The smallest standard rate that can carry what was measured; None above all of them."""
    carried = min(1.0, share * ROUNDING)
    return next((rate for rate in STANDARD_RATES if measured_gbit <= carried * rate), None)


def host_copy(pcie_gen: int, subject: str) -> Expectation | None:
    """Copies between host and GPU (nvbandwidth) over 16 lanes, GB/s one way; None for a generation without figures."""
    rates = table("rates.toml")
    typical = rates["host_copy"].get(str(pcie_gen))
    if typical is None:
        return None
    return Expectation(
        "host_copy",
        subject,
        typical,
        rates["host_copy_fail"][str(pcie_gen)],
        rates["pcie_x16"][str(pcie_gen)],
        "GB/s",
        f"PCIe Gen{pcie_gen} x16; {rates['host_copy']['source']}",
    )
