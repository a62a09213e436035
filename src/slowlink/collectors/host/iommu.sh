# title: what the IOMMU does for GPUs and HCAs
# timeout: 20
# when: always
# "identity" passes transfers through; "DMA" and "DMA-FQ" translate them. Without a device to ask for, all groups tell.
grep -Hs . "$ROOT"/sys/class/iommu/*/intel-iommu/version "$ROOT"/sys/class/iommu/*/amd-iommu/cap
LC_ALL=C ls -d "$ROOT"/sys/class/iommu/* 2>&1 >/dev/null
there=no
for device in "$ROOT"/sys/bus/pci/drivers/nvidia/*:*:*.* "$ROOT"/sys/bus/pci/drivers/amdgpu/*:*:*.* \
  "$ROOT"/sys/bus/pci/drivers/metax/*:*:*.* "$ROOT"/sys/bus/pci/drivers/mtgpu/*:*:*.* "$ROOT"/sys/class/infiniband/*/device; do
  grep -Hs . "$device/iommu_group/type" && there=yes
done
[ "$there" = yes ] || grep -Hs . "$ROOT"/sys/kernel/iommu_groups/*/type | head -n 256
exit 0
