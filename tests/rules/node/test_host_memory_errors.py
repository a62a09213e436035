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
