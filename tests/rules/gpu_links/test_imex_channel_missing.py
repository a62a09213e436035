from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import diagnoses_of, findings_of, remedies_of, said

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


SPANS = "tray01:81:81 [0] NCCL INFO comm 0x55d0 rank 0 nRanks 16 nNodes 4 localRanks 4 localRank 0 MNNVL 1\n"
FABRIC = (
    "tray01:81:81 [0] NCCL INFO MNNVL busId 0x801000 fabric UUID 81f0aa33bb0c.9a002100 cliqueId 0x7 state 3 "
    "healthMask 0x0\n"
)
NO_FABRIC = FABRIC.replace("81f0aa33bb0c.9a002100", "0.0")
REFUSED = "tray01:81:97 [0] transport/p2p.cc:275 NCCL WARN Cuda failure 800 'operation not permitted'\n"
UNSUPPORTED = "tray01:81:97 [0] include/alloc.h:251 NCCL WARN Cuda failure 801 'operation not supported'\n"
ENDED = "tray01: Test NCCL failure common.cu:1005 'unhandled cuda error (run with NCCL_DEBUG=INFO for details) / '\n"
LS = "ls: cannot access '/dev/nvidia-caps-imex-channels': No such file or directory\n"


@pytest.mark.parametrize("lead", ["tray01 ", "tray01: ", "tray01 | ", "[root@tray01 ~]# ls -l /dev/nvidia-caps\n"])
@pytest.mark.parametrize("spans", [SPANS, FABRIC])
@pytest.mark.parametrize("refused", [REFUSED, UNSUPPORTED])
def test_a_refusal_without_a_channel_where_nvlink_spans_nodes(lead: str, spans: str, refused: str) -> None:
    text = lead + LS + spans + refused + ENDED
    assert said("imex-channel-missing", text) == [
        (
            "imex-channel-missing",
            "critical",
            "certain",
            "tray01: the multi-node NVLink domain cannot be used: no IMEX channel is there",
        )
    ]
    assert [found.cause for found in diagnoses_of(text)] == ["imex-channel-missing"]


def test_nodes_that_the_excerpt_of_a_larger_job_does_not_name_count_too() -> None:
    (found,) = findings_of("imex-channel-missing", "tray01 " + LS + "tray02 " + LS + SPANS + REFUSED)
    assert [suspect.name for suspect in found.suspects] == ["tray01", "tray02"]


def test_what_cuda_says_is_enough_only_where_it_speaks_of_permission_or_names_the_call() -> None:
    (found,) = findings_of("imex-channel-missing", SPANS + REFUSED)
    assert (found.severity, found.confidence) == ("critical", "likely")
    assert findings_of("imex-channel-missing", SPANS + UNSUPPORTED) == ()
    call = "tray01:81:97 [0] NCCL WARN cuMemImportFromShareableHandle failed: operation not supported\n"
    assert len(findings_of("imex-channel-missing", SPANS + call)) == 1


def test_without_nvlink_between_nodes_nobody_needs_a_channel() -> None:
    assert findings_of("imex-channel-missing", "tray01 " + LS + REFUSED) == ()
    assert findings_of("imex-channel-missing", "tray01 " + LS + NO_FABRIC + REFUSED) == ()
    assert diagnoses_of("tray01 " + LS) == ()


def test_nvlink_between_nodes_that_works_needs_no_word_about_a_listing() -> None:
    assert findings_of("imex-channel-missing", "login1 " + LS + SPANS) == ()


@pytest.mark.parametrize("place", ["transport/nvls.cc:612", "mnnvl.cc:51", "allocator.cc:40"])
@pytest.mark.parametrize(
    "words",
    ["two trays of an NVL72, 4x GB200 each", "GPU 0: NVIDIA GB300 (UUID: GPU-0b1c2d3e-0000-1111-2222-333344445555)"],
)
def test_the_gpu_is_sold_in_racks_that_nvlink_joins(words: str, place: str) -> None:
    refused = f"tray01:81:97 [0] {place} NCCL WARN Cuda failure 800 'operation not permitted'\n"
    listing = "[root@tray01 ~]# ls /dev/nvidia-caps-imex-channels\n" + LS
    assert [cause for cause, *_ in said("imex-channel-missing", f"{words}\n{refused}{listing}")] == [
        "imex-channel-missing"
    ]
    there = listing.replace(LS, "/dev/nvidia-caps-imex-channels/channel0\n")
    other = words.replace("GB200", "H100").replace("GB300", "H100 80GB HBM3").replace("NVL72", "cluster")
    assert said("imex-channel-missing", f"{other}\n{refused}{there}") == []
    assert said("imex-channel-missing", f"{other}\n{refused}{listing}") == []
