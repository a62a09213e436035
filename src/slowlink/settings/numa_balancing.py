"""Automatic NUMA balancing of the kernel: it moves pages under running ranks."""

from __future__ import annotations

from slowlink.settings.interface import Setting

_SCRIPT = r"""
numa_balancing_read() {
  file=$ROOT/proc/sys/kernel/numa_balancing
  [ -r "$file" ] || { none numa-balancing this kernel has none; return 0; }
  item numa-balancing - "$(content "$file")"
}
numa_balancing_write() { put "$ROOT/proc/sys/kernel/numa_balancing" "$2"; }
"""

SETTING = Setting(
    name="numa-balancing",
    title="automatic NUMA balancing",
    order=50,
    parts="-",
    values="[0-3]",  # bits: 1 between nodes, 2 between tiers of memory
    wanted="0",
    commands=lambda _part, value: f"sysctl -w kernel.numa_balancing={value}",
    script=_SCRIPT,
)
