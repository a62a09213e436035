# title: PCI bridges, GPUs and network adapters: links, ACS, what is behind what
# needs: lspci, awk
# timeout: 60
# when: always
# root: better
# Links and ACS are capabilities, which only root may read; others see "<access denied>". A big server prints a
# megabyte, so that devices and lines that nobody reads are left out. Blocks stay whole: a line belongs to the device
# above it.
if [ -n "$ROOT" ]; then
  set -- -O sysfs.path="$ROOT"/sys/bus/pci
else
  set --
fi
LC_ALL=C lspci "$@" -D -vvv 2>/dev/null | awk '
  /^[0-9a-f]/ {
    keep = $0 ~ /^[0-9a-f:.]+ (PCI bridge|Bridge|3D|VGA|Display|Processing|Co-processor|Coprocessor|Ethernet|Infiniband|Network|Fabric)/
    if (keep) print
    next
  }
  keep && /^\t(Control|Bus|NUMA node|IOMMU group|Kernel driver in use):/ { print; next }
  keep && /(LnkCap|LnkSta|ACSCtl|DevCap|DevSta):|MaxPayload [0-9]+ bytes, MaxReadReq|<access denied>|!!! / { print }
'
