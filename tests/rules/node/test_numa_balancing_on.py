from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL WARN NUMA auto balancing enabled which can lead to "
    'variability in the RCCL performance! Disable by "sudo sysctl kernel.numa_balancing=0"\n'
)

FINE = (
    'node07:4711:4712 [0] NCCL WARN Missing "HSA_FORCE_FINE_GRAIN_PCIE=1" from '
    "environment which can lead to low RCCL performance\n"
)


def test_from_the_librarys_warning() -> None:
    assert said("numa-balancing-on", FAILED) == snapshot(
        [
            (
                "numa-balancing-on",
                "warning",
                "certain",
                "node07: automatic NUMA balancing is on: the kernel may move memory under running ranks",
            )
        ]
    )


def test_silent_on_other_warnings() -> None:
    assert findings_of("numa-balancing-on", FINE) == ()


def test_from_the_setting_of_each_node() -> None:
    text = "".join(
        f"[root@gpu{n:02} ~]# grep -H . /proc/sys/kernel/numa_balancing\n/proc/sys/kernel/numa_balancing:{value}\n"
        for n, value in ((1, 1), (2, 0), (3, 1))
    )
    assert said("numa-balancing-on", text) == snapshot(
        [
            (
                "numa-balancing-on",
                "warning",
                "certain",
                "gpu[01,03]: automatic NUMA balancing is on: the kernel may move memory under running ranks",
            )
        ]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("numa-balancing-on", FAILED) == snapshot(
        [[("Switch it off.", "sysctl -w kernel.numa_balancing=0")]]
    )
