"""Units: bytes are ints, bandwidth is GB/s of 1e9 bytes, link rates are Gb/s of 1e9 bits, times are microseconds.

Every conversion happens at the edge (a parser, a catalogue, a report) and nowhere else.
"""

from __future__ import annotations

import re

_SIZE = re.compile(r"^\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(?:i?B?)?\s*$", re.IGNORECASE)
_BINARY = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def gbs_to_gbit(rate_gbs: float) -> float:
    """GB/s to Gb/s: 50 -> 400."""
    return rate_gbs * 8.0


def mib_per_s_to_gbs(rate_mib: float) -> float:
    """MiB/s (2^20 bytes, what perftest prints without --report_gbits, whatever its label says) to GB/s."""
    return rate_mib * 1048576 / 1e9


def bandwidth_gbs(size_bytes: float, time_us: float) -> float:
    """Bytes in microseconds to GB/s. ``time_us`` must be above zero."""
    return size_bytes / time_us / 1e3


def brief(number: float) -> str:
    """A number for the eye: 391.4 -> ``391``, 4.72 -> ``4.7``, 0.0234 -> ``0.023``. What is not zero never looks so."""
    return f"{number:.0f}" if abs(number) >= 10 else f"{number:.2g}"


def tenths(number: float) -> str:
    """The same with a digit more: 391.42 -> ``391.4``, 0.0234 -> ``0.023``."""
    return f"{number:.1f}" if abs(number) >= 1 else f"{number:.2g}"


def kept_digits(number: float) -> float:
    """Two decimals, or three digits of what is below one."""
    return round(number, 2) if abs(number) >= 1 else float(f"{number:.3g}")


def parse_size(text: str) -> int | None:
    """``128M``, ``8G``, ``1024``, ``1.5GiB`` to bytes with binary prefixes, as nccl-tests reads them; else None."""
    match = _SIZE.match(text)
    if match is None:
        return None
    return int(float(match.group(1)) * _BINARY[match.group(2).upper()])


def format_size(size_bytes: int) -> str:
    """8589934592 -> ``8 GiB``; sizes that are no whole multiple keep up to two decimals."""
    value = float(size_bytes)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.2f}".rstrip("0").rstrip(".") + f" {unit}"
        value /= 1024
    return f"{value:.2f}".rstrip("0").rstrip(".") + " TiB"
