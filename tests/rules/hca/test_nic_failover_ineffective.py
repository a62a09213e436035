from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL WARN NET/IB: Resiliency is enabled on a recv communicator (0x7f2a40) "
    "with a single device. This does not make sense since there is no other device to fail over "
    "to.\n"
)

FINE = "node07:4711:4712 [0] NCCL INFO Port recovery succeeded for devIndex=0 (recv comm=0x7f2a40)\n"


def test_names_the_side() -> None:
    assert said("nic-failover-ineffective", FAILED) == snapshot(
        [
            (
                "nic-failover-ineffective",
                "error",
                "certain",
                "node07: NIC resiliency is on and cannot work: recv connections have a single device",
            )
        ]
    )


def test_silent_on_a_device_that_recovers() -> None:
    assert findings_of("nic-failover-ineffective", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("nic-failover-ineffective", FAILED) == snapshot(
        [
            [
                ("Give each connection two devices.", "export NCCL_IB_MERGE_NICS=1"),
                ("Or switch it off.", "unset NCCL_IB_RESILIENCY_PORT_FAILOVER"),
            ]
        ]
    )
