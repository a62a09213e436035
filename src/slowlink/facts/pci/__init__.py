"""PCI devices of nodes: what stands above what, their links, whether an IOMMU translates."""
