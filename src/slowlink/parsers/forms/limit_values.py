"""Limits as shells and the kernel print them."""

from __future__ import annotations

from slowlink.parsers.forms.make_reading import whole

UNLIMITED = "unlimited"
_HUGE = 1 << 60
"""Some kernels print the largest number for no limit."""


def memlock(text: str, unit: int) -> str | None:
    """``unlimited``, or KiB (``64 KiB``) of a number of units of ``unit`` bytes; None for anything else."""
    if text.lower() in (UNLIMITED, "infinity", "-1"):
        return UNLIMITED
    number = whole(text)
    if number is None:
        return None
    return UNLIMITED if number * unit >= _HUGE else f"{number * unit // 1024} KiB"
