from __future__ import annotations

from inline_snapshot import snapshot
from job_findings import check
from text_findings import findings_of, remedies_of, said

SWITCH = """\
part number        | MQM8790-HS2F
GUID               | 0x0c42a10300aa3000
PSU0 status        | {psu}
     DC power      | OK
     fan status    | OK
fan status         | {fan}
fan#1 (rpm)        | 5600
"""


def test_a_part_that_reports_a_fault() -> None:
    assert said("switch-hardware-fault", SWITCH.format(psu="OK", fan="ERROR")) == snapshot(
        [("switch-hardware-fault", "error", "likely", "1 switch with a fault: fan of 0x0c42a10300aa3000 says ERROR")]
    )
    (found,) = findings_of("switch-hardware-fault", SWITCH.format(psu="FAIL", fan="ERROR"))
    assert [s.name for s in found.suspects] == ["0x0c42a10300aa3000"]


def test_a_part_without_a_word_is_not_known() -> None:
    found = check("switch-hardware-fault", SWITCH.format(psu="", fan="N/A"))
    assert (found.findings, [proof.message for proof in found.proofs]) == snapshot(
        ((), ["2 fan and power statuses of switches OK"])
    )


def test_all_well() -> None:
    assert findings_of("switch-hardware-fault", SWITCH.format(psu="OK", fan="OK")) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("switch-hardware-fault", SWITCH.format(psu="OK", fan="ERROR")) == snapshot(
        [[("Read all sensors of the switch.", "ibswinfo -d lid-LID")]]
    )
