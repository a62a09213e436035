from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

RULE = "mm-kobj-not-exported"
ABSENT = "/proc/kallsyms:0"
OFED = "MLNX_OFED_LINUX-24.10-0.7.0.0:"
NO_INTERFACE = "ls: cannot access '/sys/kernel/mm/memory_peers': No such file or directory"
CLOSED = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.1  Wed Jan  1"
OPEN = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.1  Release Build"
KERNEL = "/proc/sys/kernel/osrelease:5.14.0-570.12.1.el9_6.x86_64"


def node(*lines: str) -> str:
    return "".join(("[root@gpu01 ~]# sh collect\n", *(f"{line}\n" for line in lines)))


def test_neither_interface_nor_dma_buf() -> None:
    assert said(RULE, node(ABSENT, OFED, NO_INTERFACE, CLOSED, KERNEL)) == snapshot(
        [
            (
                "kernel-without-mm-kobj",
                "error",
                "likely",
                "gpu01: the kernel does not export mm_kobj, and there is neither a peer-memory interface nor DMA-BUF: traffic between nodes is staged through host memory",
            )
        ]
    )


def test_the_symbol_alone_is_only_possible() -> None:
    assert said(RULE, node(ABSENT, OFED)) == snapshot(
        [
            (
                "kernel-without-mm-kobj",
                "warning",
                "possible",
                "gpu01: the kernel does not export mm_kobj, so OFED has no peer-memory interface; GPUDirect RDMA then rests on DMA-BUF, of which nothing is known",
            )
        ]
    )


def test_a_search_for_the_symbol_that_prints_nothing() -> None:
    prompt = "[root@gpu01 ~]# "
    text = (
        f"{prompt}ls /sys/kernel/mm/memory_peers\n{NO_INTERFACE}\n"
        f"{prompt}grep -w mm_kobj /proc/kallsyms\n{prompt}uname -r\n"
    )
    assert said(RULE, text) == snapshot(
        [
            (
                "kernel-without-mm-kobj",
                "warning",
                "likely",
                "gpu01: the kernel does not export mm_kobj, so OFED has no peer-memory interface; GPUDirect RDMA then rests on DMA-BUF, of which nothing is known",
            )
        ]
    )


def test_not_needed() -> None:
    assert findings_of(RULE, node(ABSENT)) == (), "without OFED"
    assert findings_of(RULE, node(ABSENT, OFED, OPEN, KERNEL)) == (), "with DMA-BUF"
    assert findings_of(RULE, node("/proc/kallsyms:1", OFED, NO_INTERFACE, CLOSED)) == (), "it is exported"
    client = "/sys/kernel/mm/memory_peers/nv_mem/version:1.3"
    assert findings_of(RULE, node(ABSENT, OFED, client)) == (), "a client is registered"


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, node(ABSENT, OFED, NO_INTERFACE, CLOSED, KERNEL)) == snapshot(
        [
            [
                (
                    "See whether clients can register at all.",
                    "ls /sys/kernel/mm/memory_peers; modinfo -F license nvidia",
                ),
                ("Boot a kernel that exports mm_kobj (RHEL 9.4 or 9.5) and rebuild OFED, or move to DMA-BUF.", ""),
            ]
        ]
    )
