"""Plain facts about a node and its software that single lines state, whoever prints them::

    cat: /sys/kernel/mm/memory_peers/nv_mem/version: No such file or directory
    ffffffffa1485b2c r __ksymtab_mm_kobj
    [    0.5] iommu: Default domain type: Translated

The lines come from shells, compilers, the kernel's boot messages, health checks and people who describe what they saw.
So a pattern asks for enough words around a value that a sentence which only mentions a file is no fact.

Sources: sysfs and kallsyms as shells print them, MLNX_OFED's build, counts of node health checks, kernel boot messages
about the IOMMU.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.observation_table import Fact, ObservationParser

_PEER_PATH = r"(?P<subject>/sys/kernel/mm/memory_peers(?:/(?P<value>[\w-]{1,40})(?:/version)?)?)"

FACTS = (
    Fact(
        "memory-peers-file-missing",
        "/sys/kernel/mm/memory_peers",
        _PEER_PATH + r"['’]?(?:: No such file|.{0,40}\b(?:absent|missing|does not exist|doesn't exist|not found)\b)",
        (
            "cat: /sys/kernel/mm/memory_peers/nv_mem/version: No such file or directory",
            "the file /sys/kernel/mm/memory_peers/xpu/version, was absent from the node",
            "ls: cannot access '/sys/kernel/mm/memory_peers': No such file or directory",
        ),
    ),
    Fact(
        "mm-kobj-export-removed",
        "EXPORT_SYMBOL_GPL(mm_kobj)",
        r"^\s*-\s*EXPORT_SYMBOL_GPL\(mm_kobj\)",
        ("- EXPORT_SYMBOL_GPL(mm_kobj);", "-EXPORT_SYMBOL_GPL(mm_kobj);"),
        subject="kernel",
        informative=True,  # a patch in a report; what a node exports is judged
    ),
    Fact(
        "mm-kobj-present",
        "mm_kobj",
        r"(?:[\da-f]{16} [a-zA-Z] __ksymtab_mm_kobj|^\s*0x[\da-f]{8}\s+mm_kobj\s+vmlinux\s+EXPORT_SYMBOL)",
        ("ffffffffa1485b2c r __ksymtab_mm_kobj", "0x1d1a5f8a\tmm_kobj\tvmlinux\tEXPORT_SYMBOL_GPL"),
        subject="kernel",
        informative=True,  # the reading mm-kobj-exported of the same line is judged
    ),
    Fact(
        "mm-kobj-absent",
        "mm_kobj",
        r"(?:checking if mm_kobj.{0,40}\bno$|mm_kobj(?: symbol)? (?:is|was) (?:not (?:being )?|no longer )exported"
        r"(?: by the (?P<value>[\w. -]{1,40}?) kernel)?|mm_kobj undefined|[Uu]nknown symbol mm_kobj)",
        (
            "checking if mm_kobj is exported... no",
            "The mm_kobj symbol was not being exported by the RHEL 9.6 kernel.",
            "mlx_compat: Unknown symbol mm_kobj (err -2)",
        ),
        subject="kernel",
    ),
    Fact(
        "mm-kobj-guard",
        "HAVE_MM_KOBJ_EXPORTED",
        r"(?P<value>#ifdef|#define|#undef|/\* #undef|-D)\s?HAVE_MM_KOBJ_EXPORTED",
        ("#ifdef HAVE_MM_KOBJ_EXPORTED", "/* #undef HAVE_MM_KOBJ_EXPORTED */"),
        subject="peer_mem.c",
        informative=True,  # source or configuration of a build; what a node exports is judged
    ),
    Fact(
        "kernel-release",
        ".el",
        r"(?<![\w.-])(?P<value>\d{1,2}\.\d{1,3}\.\d{1,3}-\d{1,4}(?:\.\d{1,4}){0,5}\.el\d{1,2}(?:_\d{1,2})?(?:\.\w{1,10})?)(?![\w-])",
        ("Linux gpu01 5.14.0-570.12.1.el9_6.x86_64 #1 SMP", "Kernel: 5.14.0-427.13.1.el9_4.x86_64"),
        subject="kernel",
    ),
    Fact(
        "peer-memory-loaded",
        "peer",
        r"^\s*(?P<value>nvidia_peermem|nv_peer_mem|ib_peer_mem)\s+\d+\s+\d+",
        ("nvidia_peermem         16384  0",),
        subject="module",
        informative=True,  # the list of modules is judged as a whole
    ),
    Fact(
        "gpu-count",
        "xpected ",
        r"gpu\w{0,20}.{0,20}Expected (?P<subject>\d{1,4}) and found (?P<value>\d{1,4})",
        ("ERROR:  nhc:  Health check failed:  check_gpu_count: Expected 8 and found 7",),
    ),
    Fact(
        "iommu-domain",
        "efault domain type",
        r"iommu: Default domain type: (?P<value>\w{1,20})",
        ("[    0.5] iommu: Default domain type: Translated",),
        subject="iommu",
    ),
)


class NodeObservations(ObservationParser):
    """Observations about peer memory, the symbol ``mm_kobj``, the kernel, counts of GPUs and the IOMMU."""

    kind: ClassVar[str] = "node-observations"
    facts: ClassVar[tuple[Fact, ...]] = FACTS


PARSER = NodeObservations
