"""Counts of GPUs and ports, beside a whole kernel log or without one."""

from __future__ import annotations

import pytest
from state_proofs import proofs_of
from text_findings import findings_of, said

import slowlink

RULE = "counted-parts"
PROMPT = "root@n1:~# "
BOOT = (
    "[    0.000000] Linux version 6.8.0-45-generic (build@x) (gcc 13.2.0) #45 SMP\n"
    "[    1.200000] ACPI BIOS Error (bug): Failure creating named object [\\_SB.PCI0.XHCI], AE_ALREADY_EXISTS\n"
    "[    6.100000] mlx5_core 0000:5e:00.0: firmware version: 28.41.1000\n"
    "[   15.800000] mlx5_core 0000:5e:00.0 ibp94s0: Link up\n"
)


def counts(gpus: int = 8, ports: int = 8) -> str:
    return f'{PROMPT}nvidia-smi -L | wc -l\n{gpus}\n{PROMPT}ibstat | grep -c "State: Active"\n{ports}\n'


def node(log: str = BOOT, gpus: int = 8, ports: int = 8, command: str = "dmesg") -> str:
    return f"{PROMPT}{command}\n{log}{counts(gpus, ports)}"


def test_a_whole_quiet_log_beside_full_counts_is_health() -> None:
    assert proofs_of(RULE, node()) == [
        ("n1: 8 GPUs answer and 8 ports are up, and the kernel has logged no fault of theirs since its start", 1)
    ]
    assert slowlink.analyze(node().encode()).verdict == "healthy"


@pytest.mark.parametrize(
    "line",
    [
        "NVRM: Xid (PCI:0000:1b:00): 79, pid=1234, GPU has fallen off the bus.",
        "NVRM: Xid (PCI:0000:1b:00): 48, pid=1234, DBE (double bit error)",
        "mlx5_core 0000:5e:00.0: health_care:1018: device's health compromised - reached miss count",
        "mlx5_core 0000:5e:00.0 ibp94s0: Link down",
        "pcieport 0000:3a:01.0: AER: Uncorrected (Fatal) error received: 0000:3b:00.0",
        "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#1_Chan#0_DIMM#0 (channel:0 slot:0)",
        "INFO: task train:4711 blocked for more than 120 seconds.",
        "nfs: server fs1 not responding, still trying",
        "watchdog: BUG: soft lockup - CPU#7 stuck for 23s! [train:4711]",
        "Kernel panic - not syncing: Fatal machine check",
        "mce: [Hardware Error]: Machine check events logged",
    ],
)
def test_a_log_with_a_fault_is_none(line: str) -> None:
    sick = node(f"{BOOT}[ 9000.100000] {line}\n")
    assert proofs_of(RULE, sick) == []
    assert slowlink.analyze(sick.encode()).verdict != "healthy"


@pytest.mark.parametrize(
    "text",
    [
        counts(),
        node(gpus=4, ports=4),
        node(gpus=8, ports=6),
        node(gpus=7),
        node(command="dmesg | head -40"),
        node(command="dmesg | grep -v NVRM"),
        node(BOOT.split("\n", 1)[1]),
        node() + counts(8, 6).replace("root@n1", "root@n2"),
    ],
    ids=["no log", "half a board", "few ports", "seven GPUs", "head", "grep", "no start", "another node"],
)
def test_less_is_no_health(text: str) -> None:
    assert proofs_of(RULE, text) == []
    assert slowlink.analyze(text.encode()).verdict != "healthy"


def test_one_port_too_few_is_a_warning() -> None:
    assert said(RULE, node(ports=7)) == [
        ("port-down", "warning", "possible", "n1: 7 ports are up beside 8 GPUs: hardly a node is built so")
    ]
    assert findings_of(RULE, counts(4, 3)) == ()
