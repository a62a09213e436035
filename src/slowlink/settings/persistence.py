"""Persistence mode of NVIDIA GPUs: the driver stays loaded when nothing uses them."""

from __future__ import annotations

from slowlink.settings.interface import PCI_ADDRESS, Setting

_SCRIPT = r"""
persistence_read() {
  gpu_fields persistence persistence_mode "${1-}" || return 0
  printf '%s\n' "$lines" | while IFS=', ' read -r part value _; do
    case $value in
      Enabled) item persistence "$part" on ;;
      Disabled) item persistence "$part" off ;;
      *) none persistence "persistence mode reads $value" ;;
    esac
  done
}
persistence_write() {
  case $2 in on) mode=1 ;; off) mode=0 ;; *) return 2 ;; esac
  bounded nvidia-smi -i "$1" -pm "$mode"
}
"""

SETTING = Setting(
    name="persistence",
    title="persistence mode",
    order=10,  # first: without it the driver forgets power cap and clocks when the last process ends
    parts=PCI_ADDRESS,
    values="on|off",
    wanted="on",
    commands=lambda part, value: f"nvidia-smi -i {part} -pm {1 if value == 'on' else 0}",
    script=_SCRIPT,
)
