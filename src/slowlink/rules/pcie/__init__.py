"""PCIe links and what stands between devices: ACS, IOMMU, topology."""
