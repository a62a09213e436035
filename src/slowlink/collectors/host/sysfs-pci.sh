# title: PCIe links of GPUs and HCAs
# timeout: 20
# when: sampled
# Sampled, because idle GPUs lower their speed: what counts is the highest that is seen. Virtual functions have no link
# of their own.
there=no
for device in "$ROOT"/sys/bus/pci/drivers/nvidia/*:*:*.* "$ROOT"/sys/bus/pci/drivers/amdgpu/*:*:*.* \
  "$ROOT"/sys/bus/pci/drivers/metax/*:*:*.* "$ROOT"/sys/bus/pci/drivers/mtgpu/*:*:*.* \
  "$ROOT"/sys/bus/pci/drivers/habanalabs/*:*:*.* "$ROOT"/sys/class/infiniband/*/device; do
  [ -e "$device/current_link_width" ] || continue
  [ -e "$device/physfn" ] && continue
  there=yes
  grep -Hs . "$device/current_link_speed" "$device/current_link_width" "$device/max_link_speed" \
    "$device/max_link_width" "$device/numa_node"
  grep -Hs '^PCI_SLOT_NAME=' "$device/uevent"
done
[ "$there" = yes ] || { echo "no GPU or HCA with a PCIe link here" >&2; exit 77; }
exit 0
