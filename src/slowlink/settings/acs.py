"""PCIe Access Control Services of the bridges above GPUs and HCAs: they send peer-to-peer traffic around by the CPU."""

from __future__ import annotations

from slowlink.settings.interface import Setting

# The control register lies 6 bytes into the ACS capability; setpci finds the capability itself. A bridge is what lies
# above a device in sysfs: /sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0. Display controllers of a management
# controller (class 0x0300 of other vendors) and Ethernet without RDMA are no GPUs and no HCAs.
_SCRIPT = r"""
acs_devices() {
  for device in "$ROOT"/sys/bus/pci/devices/*; do
    case $(content "$device/class") in
      0x0302*|0x1200*|0x0207*) printf '%s\n' "$device" ;;
      0x0300*|0x0380*) case $(content "$device/vendor") in 0x10de|0x1002|0x9999) printf '%s\n' "$device" ;; esac ;;
      *) [ -d "$device/infiniband" ] && printf '%s\n' "$device" ;;
    esac
  done
}
acs_bridges() {
  acs_devices | while read -r device; do
    path=$(cd -P "$device" 2>/dev/null && pwd -P) || continue
    while path=${path%/*}; do
      case ${path##*/} in
        [0-9a-f]*:[0-9a-f][0-9a-f]:[0-9a-f][0-9a-f].[0-7]) printf '%s\n' "${path##*/}" ;;
        *) break ;;
      esac
    done
  done | sort -u
}
acs_read() {
  bridges=${1:-$(acs_bridges)}
  [ -n "$bridges" ] || { none acs no PCIe bridge above a GPU or HCA; return 0; }
  has setpci || { none acs no setpci here '(package pciutils)'; return 0; }
  is_root || { none acs needs root to be read; return 0; }
  for bound in "$ROOT"/sys/bus/pci/drivers/vfio-pci/*:*; do
    [ -e "$bound" ] || continue
    none acs devices are passed to virtual machines '(vfio-pci)', and ACS keeps those apart
    return 0
  done
  found=
  for bridge in $bridges; do
    value=$(bounded setpci -s "$bridge" ECAP_ACS+6.w 2>/dev/null) || continue
    found=1
    item acs "$bridge" "$value"
  done
  [ -n "$found" ] || none acs no bridge above a GPU or HCA has ACS
}
acs_write() { bounded setpci -s "$1" "ECAP_ACS+6.w=$2"; }
"""

SETTING = Setting(
    name="acs",
    title="PCIe ACS control of bridges above GPUs and HCAs",
    order=60,
    parts=r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]",
    values=r"(?!ffff)[0-9a-f]{4}",  # all ones: the bridge did not answer
    wanted="0000",
    commands=lambda part, value: f"setpci -s {part} ECAP_ACS+6.w={value}",
    script=_SCRIPT,
)
