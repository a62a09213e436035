from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = "node07:4711:4712 [0] NCCL INFO NCCL_TOPO_FILE set by environment to /opt/topo.xml\n"

FINE = "node07:4711:4712 [0] NCCL INFO NCCL_TOPO_DUMP_FILE set by environment to /opt/topo.xml\n"


def test_is_a_note() -> None:
    assert said("topology-overridden", FAILED) == snapshot(
        [
            (
                "topology-overridden",
                "info",
                "possible",
                "NCCL_TOPO_FILE=/opt/topo.xml replaces the topology that NCCL would find",
            )
        ]
    )


def test_silent_on_a_dump() -> None:
    assert findings_of("topology-overridden", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("topology-overridden", FAILED) == snapshot(
        [[("Compare with what NCCL finds itself.", "env -u NCCL_TOPO_FILE NCCL_TOPO_DUMP_FILE=topo.xml ...")]]
    )
