from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "node07:4711:4712 [0] NCCL WARN MNNVL (cliqueSize 8) is available but not working on this "
    "system. Check the IMEX channel configuration (/dev/nvidia-caps-imex-channels). Set "
    "NCCL_MNNVL_ENABLE=0 to ignore this issue.\n"
)

FINE = "node07:4711:4712 [0] NCCL INFO MNNVL is not supported on this system\n"


def test_names_the_node() -> None:
    assert said("imex-channel-missing", FAILED) == snapshot(
        [
            (
                "imex-channel-missing",
                "error",
                "likely",
                "node07: the multi-node NVLink domain cannot be used: the IMEX service or its channel is missing",
            )
        ]
    )


def test_silent_where_there_is_no_such_nvlink() -> None:
    assert findings_of("imex-channel-missing", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("imex-channel-missing", FAILED) == snapshot(
        [
            [
                ("See the state of all nodes of the domain.", "nvidia-imex-ctl -N"),
                ("See whether a channel is there.", "ls -l /dev/nvidia-caps-imex-channels"),
            ]
        ]
    )
