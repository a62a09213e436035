"""CPU frequency governor of every policy: cores that drive the network do not have to wake up first."""

from __future__ import annotations

import re

from slowlink.settings.interface import Setting

_SCRIPT = r"""
governor_read() {
  found=
  for policy in "$ROOT"/sys/devices/system/cpu/cpufreq/${1:-policy*}; do
    [ -r "$policy/scaling_governor" ] || continue
    found=1
    offered=$(content "$policy/scaling_available_governors" | tr ' ' ,)
    item governor "${policy##*/}" "$(content "$policy/scaling_governor")" "$offered"
  done
  [ -n "$found" ] || none governor no CPU frequency scaling here
}
governor_write() { put "$ROOT/sys/devices/system/cpu/cpufreq/$1/scaling_governor" "$2"; }
"""


def _misfit(wanted: str, detail: str) -> str:
    offered = [name for name in detail.split(",") if re.fullmatch(r"[a-z_]{1,24}", name)]
    return f"this kernel offers {', '.join(offered)}" if offered and wanted not in offered else ""


SETTING = Setting(
    name="governor",
    title="CPU governor",
    order=40,
    parts=r"policy[0-9]{1,5}",
    values=r"[a-z_]{1,24}",
    wanted="performance",
    commands=lambda part, value: f"echo {value} > /sys/devices/system/cpu/cpufreq/{part}/scaling_governor",
    script=_SCRIPT,
    misfit=_misfit,
)
