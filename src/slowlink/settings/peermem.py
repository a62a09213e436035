"""nvidia_peermem: the module that lets an HCA read and write GPU memory."""

from __future__ import annotations

from slowlink.settings.interface import Setting

_SCRIPT = r"""
peermem_read() {
  [ -d "$ROOT/sys/module/nvidia" ] || { none peermem no NVIDIA driver here; return 0; }
  set -- "$ROOT"/sys/class/infiniband/*
  [ -e "$1" ] || { none peermem no HCA here; return 0; }
  [ ! -d "$ROOT/sys/module/nv_peer_mem" ] || { none peermem nv_peer_mem is loaded, which does the same; return 0; }
  has modprobe || { none peermem no modprobe here; return 0; }
  if [ -d "$ROOT/sys/module/nvidia_peermem" ]; then item peermem - loaded; else item peermem - absent; fi
}
peermem_write() {
  case $2 in
    loaded) bounded modprobe ${ROOT:+-d "$ROOT"} nvidia_peermem ;;
    absent) bounded rmmod nvidia_peermem ;;
    *) return 2 ;;
  esac
}
"""

SETTING = Setting(
    name="peermem",
    title="module nvidia_peermem",
    order=70,
    parts="-",
    values="loaded|absent",
    wanted="loaded",
    commands=lambda _part, value: "modprobe nvidia_peermem" if value == "loaded" else "rmmod nvidia_peermem",
    script=_SCRIPT,
)
