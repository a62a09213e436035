from __future__ import annotations

from fabric_pictures import iblinkinfo
from inline_snapshot import snapshot
from job_findings import check
from text_findings import findings_of, remedies_of, said

MASTER = (
    "sminfo: sm lid 7 sm guid 0xc42a10300aa1000, activity count 90 priority 14 state 3 SMINFO_MASTER\n"
    "Master SM: Port=0 LID=7 GUID=0x0c42a10300aa1000 devid=54002 Priority:14 Node_Type=SW\n"
)
ALONE = MASTER + "Standby SM : No Standby SM\n"


def test_nobody_answers() -> None:
    assert said("sm-missing-or-alone", "sminfo: iberror: failed: query\n") == snapshot(
        [
            (
                "subnet-manager-missing",
                "error",
                "likely",
                "no subnet manager answers: what was asked of the fabric is not known",
            )
        ]
    )


def test_who_answers_later_is_there() -> None:
    assert findings_of("sm-missing-or-alone", "sminfo: iberror: failed: query\n" + MASTER) == ()


def test_ports_that_nobody_configures() -> None:
    text = iblinkinfo(leaves=1, hosts=1, spines=1).replace("Active/", "  Init/")
    assert said("sm-missing-or-alone", text) == snapshot(
        [
            (
                "subnet-manager-missing",
                "error",
                "likely",
                "4 ports of the fabric with a link stay in Init: leaf0/1; leaf0/2; gpu00 mlx5_0/1; and 1 more",
            )
        ]
    )


def test_a_master_without_standby_is_worth_knowing() -> None:
    found = check("sm-missing-or-alone", ALONE)
    assert [(f.severity, f.title) for f in found.findings] == [("info", "No standby subnet manager")]
    assert [(proof.message, proof.weight) for proof in found.proofs] == snapshot(
        [("1 subnet manager in state master", 0)]
    )


def test_a_manager_that_stopped_is_no_proof() -> None:
    log = "Jan 01 12:00:0{} 100200 [1A2B3C40] 0x80 -> {}\n"
    running = log.format(1, "Entering MASTER state")
    assert check("sm-missing-or-alone", running).proofs
    assert not check("sm-missing-or-alone", running + log.format(2, "Exiting SM")).proofs


def test_a_standby_is_enough() -> None:
    assert findings_of("sm-missing-or-alone", MASTER + "Standby SM : Port=1 LID=9 GUID=0x1 devid=1\n") == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("sm-missing-or-alone", "sminfo: iberror: failed: query\n") == snapshot(
        [[("See whether a subnet manager answers.", "sminfo")]]
    )
    assert remedies_of("sm-missing-or-alone", ALONE) == snapshot(
        [[("Run a second subnet manager with a lower priority.", "opensm --priority 1")]]
    )
