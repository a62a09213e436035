"""Power cap of NVIDIA GPUs."""

from __future__ import annotations

import re

from slowlink.settings.interface import PCI_ADDRESS, Setting

_SCRIPT = r"""
power_read() {
  gpu_fields power power.limit,power.min_limit,power.max_limit "${1-}" || return 0
  printf '%s\n' "$lines" | while IFS=', ' read -r part value least most _; do
    case $value in
      [0-9]*) item power "$part" "$value" "$least-$most" ;;
      *) none power "the power limit reads $value" ;;
    esac
  done
}
power_write() { bounded nvidia-smi -i "$1" -pl "$2"; }
"""
_LIMITS = re.compile(r"([0-9]{1,5}(?:\.[0-9]{1,2})?)-([0-9]{1,5}(?:\.[0-9]{1,2})?)")


def _misfit(wanted: str, detail: str) -> str:
    limits = _LIMITS.fullmatch(detail)
    if limits and not float(limits[1]) <= float(wanted) <= float(limits[2]):
        return f"{float(wanted):g} W is outside of {float(limits[1]):g} to {float(limits[2]):g} W"
    return ""


SETTING = Setting(
    name="power",
    title="GPU power cap",
    unit=" W",
    order=30,
    parts=PCI_ADDRESS,
    values=r"[0-9]{1,5}\.[0-9]{2}",
    wanted=None,
    commands=lambda part, value: f"nvidia-smi -i {part} -pl {value}",
    script=_SCRIPT,
    misfit=_misfit,
)
