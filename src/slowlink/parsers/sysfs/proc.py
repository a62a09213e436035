"""Settings of the kernel in /proc."""

from __future__ import annotations

from slowlink.parsers.sysfs.paths import PathFact

PATHS = (
    PathFact(
        r"proc/sys/kernel/numa_balancing",
        "numa-balancing",
        "",
        lambda text: {"0": False, "1": True, "2": True, "3": True}.get(text),
        {"/proc/sys/kernel/numa_balancing:1": True, "/proc/sys/kernel/numa_balancing:0": False},
    ),
)
