"""PCIe links and what lies between devices: ACS, IOMMU, topology."""
