"""Tools that report on the rest of a node: processors, memory, PCI devices, versions, health checks."""
