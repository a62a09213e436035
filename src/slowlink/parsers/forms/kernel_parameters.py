"""The kernel's command line: those of its parameters that bear on collectives. The others may name what is private."""

from __future__ import annotations

import re

from slowlink.patterns import regex

_IOMMU = regex(r"(?:iommu|intel_iommu|amd_iommu|iommu\.passthrough|iommu\.strict|iommu\.forcedac|intremap)$")
_OTHERS = regex(
    r"(?:pci|pcie_acs_override|pcie_aspm|pcie_ports|processor\.max_cstate|intel_idle\.max_cstate|idle|intel_pstate"
    r"|amd_pstate|cpufreq\.default_governor|cpufreq\.off|numa_balancing|numa|nohz|nohz_full|isolcpus|rcu_nocbs|nosmt"
    r"|mitigations|transparent_hugepage|default_hugepagesz|hugepagesz|hugepages|tsc|clocksource|init_on_alloc|maxcpus"
    r"|skew_tick|nosoftlockup|nmi_watchdog|cma|module_blacklist|audit)$"
)
NONE = "none"


def iommu_parameters(text: str) -> str:
    """``amd_iommu=on iommu=pt``, sorted; ``none`` when the command line has none."""
    return _chosen(text, _IOMMU)


def other_parameters(text: str) -> str:
    """The parameters that bear on speed, sorted; ``none`` when there are none."""
    return _chosen(text, _OTHERS)


def _chosen(text: str, names: re.Pattern[str]) -> str:
    found = {word[:120] for word in text[:8000].split() if names.match(word.partition("=")[0])}
    return " ".join(sorted(found)) or NONE
