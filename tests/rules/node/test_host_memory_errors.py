from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "host-memory-errors"
KERNEL = "Mar 04 02:12:10 gpu21 kernel: "
DIMM = KERNEL + "EDAC MC0: 1 {} memory read error on CPU_SrcID#1_MC#0_Chan#2_DIMM#0 (channel:2 slot:0 page:0x7)\n"
REPORT = (
    f"{KERNEL}{{1}}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 4\n"
    f"{KERNEL}{{1}}[Hardware Error]: event severity: SEVERITY\n"
    f"{KERNEL}{{1}}[Hardware Error]:  Error 0, type: SEVERITY\n"
    f"{KERNEL}{{1}}[Hardware Error]:   section_type: SECTION\n"
)


def report(severity: str, section: str = "memory error") -> str:
    return REPORT.replace("SEVERITY", severity).replace("SECTION", section)


def test_an_uncorrected_error_of_the_memory_controller_names_the_dimm() -> None:
    (found,) = findings_of(RULE, DIMM.format("UE"))
    assert (found.cause, found.severity, found.confidence, found.message) == snapshot(
        (
            "host-memory-errors",
            "error",
            "likely",
            "gpu21: the memory controller counted an uncorrected error on CPU_SrcID#1_MC#0_Chan#2_DIMM#0",
        )
    )
    assert [(suspect.kind, suspect.name) for suspect in found.suspects] == [("node", "gpu21")]
    assert [(remedy.text, remedy.command) for remedy in found.remedy] == snapshot(
        [
            ("See which DIMM or processor it is.", "ras-mc-ctl --errors; ipmitool sel list"),
            ("Drain the node and have the part replaced.", ""),
        ]
    )


@pytest.mark.parametrize("severity, how", [("fatal", "error"), ("recoverable", "warning")])
def test_a_report_of_the_firmware_is_as_bad_as_it_says(severity: str, how: str) -> None:
    assert said(RULE, report(severity)) == [
        ("host-memory-errors", how, "likely", f"gpu21: the hardware reported a {severity} error (memory error)")
    ]


PART = f"{KERNEL}{{1}}[Hardware Error]:   "


def test_the_part_is_named_by_its_place_and_in_the_makers_words() -> None:
    fru, *rest = [PART + text for text in ("fru_text: Riser2, ChnB, D1\n", "DIMM location: NODE 2 B1 \n")]
    head, section = report("fatal").rsplit(KERNEL, 1)
    message = "gpu21: the hardware reported a fatal error (memory error) at "
    for text, part in (
        (head + fru + KERNEL + section + "".join(rest), "NODE 2 B1 (Riser2, ChnB, D1)"),
        (report("fatal") + "".join(rest), "NODE 2 B1"),
        (head + fru + KERNEL + section, "Riser2, ChnB, D1"),
    ):
        assert [found[3] for found in said(RULE, text)] == [message + part]
    (found,) = findings_of(RULE, report("fatal") + rest[0])
    assert "NODE 2 B1" in found.evidence[-1].text


def test_a_place_that_is_not_known_and_that_of_another_report_are_not_this_ones() -> None:
    unknown = report("fatal") + PART + "DIMM location: not present. DMI handle: 0x0000 \n"
    other = report("corrected") + PART + "DIMM location: NODE 2 B1 \n"
    assert [found[3] for found in said(RULE, unknown + other)] == [
        "gpu21: the hardware reported a fatal error (memory error)"
    ]


def test_the_evidence_is_the_severity_and_the_section() -> None:
    (found,) = findings_of(RULE, report("fatal"))
    assert [evidence.line for evidence in found.evidence] == [2, 4]


def test_a_machine_check_exception_was_not_corrected() -> None:
    line = KERNEL + "mce: [Hardware Error]: CPU 3: Machine Check Exception: 5 Bank 7: be00000000010091\n"
    assert said(RULE, line) == snapshot(
        [("host-memory-errors", "error", "likely", "gpu21: the hardware reported a fatal error (machine check)")]
    )


@pytest.mark.parametrize(
    "text",
    [
        DIMM.format("CE"),
        report("corrected"),
        report("fatal", "PCIe error"),
        KERNEL + "mce: [Hardware Error]: Machine check events logged\n",
        KERNEL + "mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 7: 8c00004000010091\n",
    ],
)
def test_corrected_errors_and_errors_of_pcie_are_not_its_business(text: str) -> None:
    assert findings_of(RULE, text) == ()


def test_the_section_of_the_next_report_is_not_this_ones() -> None:
    first = "\n".join(report("fatal").splitlines()[:2]) + "\n"
    assert [message for *_, message in said(RULE, first + report("recoverable"))] == [
        "gpu21: the hardware reported a fatal error (unknown part)",
        "gpu21: the hardware reported a recoverable error (memory error)",
    ]


SEL = "[root@gpu21 ~]# ipmitool sel list\n"
UNCORRECTED = (
    "  1a | 11/03/2026 | 02:11:38 | Memory #0x53 | Uncorrectable ECC (UnCorrectable ECC |  DIMMB4) | Asserted\n"
)
BOOTED = "  1b | 11/03/2026 | 02:11:55 | System Boot Initiated #0x10 | Initiated by power up | Asserted\n"
DISABLED = "  1c | 11/03/2026 | 02:13:02 | Memory #0x53 | Memory Device Disabled (DIMMB4) | Asserted\n"
CORRECTED = "  1a | 11/03/2026 | 02:11:38 | Memory #0x53 | Correctable ECC logging limit reached | Asserted\n"
EXCEPTION = KERNEL + "mce: [Hardware Error]: CPU 12: Machine Check Exception: 5 Bank 7: be00000000800400\n"
PANIC = KERNEL + "Kernel panic - not syncing: Fatal machine check\n"
NEXT_BOOT = "Linux version 5.14.0-427.el9.x86_64 (build@host) #1 SMP\n"
REAL_BOOT = (
    "Linux version 5.14.0-427.el9.x86_64 (mock@build) (gcc (GCC) 11.4.1, GNU ld 2.35.2) #1 SMP PREEMPT_DYNAMIC\n"
)
LOW = "   Reason=Low RealMemory (reported:998244 < 100.00% of configured:1031000) [slurm@2031-03-04T02:19:11]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            EXCEPTION + PANIC,
            "gpu21: the hardware reported a fatal error (machine check); then the kernel panicked",
        ),
        (
            EXCEPTION + KERNEL + NEXT_BOOT,
            "gpu21: the hardware reported a fatal error (machine check); then the node booted again",
        ),
        (
            EXCEPTION + KERNEL + REAL_BOOT,
            "gpu21: the hardware reported a fatal error (machine check); then the node booted again",
        ),
        (
            LOW + DIMM.format("UE"),
            "gpu21: the memory controller counted an uncorrected error on CPU_SrcID#1_MC#0_Chan#2_DIMM#0; "
            "Slurm sees 998244 of 1031000 MiB",
        ),
        (
            SEL + UNCORRECTED + BOOTED,
            "gpu21: the system event log has an uncorrectable error of the memory (DIMMB4); then the node went down",
        ),
        (SEL + UNCORRECTED + DISABLED, "gpu21: the system event log has a DIMM that was disabled (DIMMB4)"),
    ],
)
def test_what_took_the_node_down_is_critical(text: str, message: str) -> None:
    assert [found[1:] for found in said(RULE, text)] == [("critical", "likely", message)]


def test_what_nothing_followed_is_an_error() -> None:
    assert [found[1] for found in said(RULE, SEL + UNCORRECTED)] == ["error"]
    assert [found[1] for found in said(RULE, EXCEPTION)] == ["error"]
    other = NEXT_BOOT.join(["Mar 04 02:12:10 gpu22 kernel: ", ""])
    assert [found[1] for found in said(RULE, EXCEPTION + other)] == ["error"]


def test_corrected_errors_and_a_boot_alone_are_none() -> None:
    assert findings_of(RULE, SEL + CORRECTED + BOOTED + DIMM.format("CE") + PANIC + LOW) == ()


def test_counts_of_the_controller_without_its_log() -> None:
    counts = "/sys/devices/system/edac/mc/mc0/{kind}_count:{number}\n"
    assert said(RULE, counts.format(kind="ue", number=2)) == [
        (
            "host-memory-errors",
            "error",
            "likely",
            "the memory controller counts 2 errors that could not be corrected since its driver was loaded",
        )
    ]
    assert findings_of(RULE, counts.format(kind="ue", number=0) + counts.format(kind="ce", number=5000)) == ()
    logged = said(RULE, EXCEPTION + counts.format(kind="ue", number=2))
    assert len(logged) == 1, "what the log tells is told once"


def test_a_controller_that_corrects_far_more_than_the_others() -> None:
    def counts(last: int) -> str:
        files = "/sys/devices/system/edac/mc/mc{}/ce_count:{}\n"
        return "".join(files.format(mc, last if mc == 3 else mc) for mc in range(4))

    assert said(RULE, counts(40_117)) == snapshot(
        [
            (
                "host-memory-errors",
                "warning",
                "possible",
                "memory controller mc3 corrected 40117 errors, far more than the others: a DIMM of it may be failing, and a second reading shows whether it goes on",
            )
        ]
    )
    assert findings_of(RULE, counts(640)) == ()
    assert findings_of(RULE, counts(40_117).replace("mc1/ce_count:1", "mc1/ce_count:39000")) == ()
