"""Which waits for a file server were so short that nothing stood still for them."""

from __future__ import annotations

from slowlink.model.job import JobEvent


def was_short(event: JobEvent, longest_s: float, in_all_s: float) -> bool:
    """Did the file server of a ``kernel-nfs-stall`` answer again, each time soon? False where nobody knows."""
    longest, seconds = event.groups.get("longest"), event.groups.get("seconds")
    return longest is not None and seconds is not None and float(longest) <= longest_s and float(seconds) <= in_all_s
