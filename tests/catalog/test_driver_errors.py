"""The numbers of NVIDIA's drivers: each stands once, and each has words, a cause and an advice that exist."""

from __future__ import annotations

from inline_snapshot import snapshot

from slowlink.catalog.causes import all_causes
from slowlink.catalog.driver_errors.numbers import advised, sxid, xids
from slowlink.catalog.load import table


def test_every_entry_names_causes_and_advice_that_exist() -> None:
    known = table("driver_errors/advice.toml")
    assert {error.cause for error in xids().values()} - {""} <= {*all_causes()}
    assert {error.advice for error in xids().values()} <= {*known}
    assert {entry["advice"] for name, entry in table("driver_errors/sxids.toml").items() if name != "units"} <= {*known}


def test_every_number_stands_once() -> None:
    groups = table("driver_errors/xids.toml").values()
    assert len(xids()) == sum(len(group["names"]) for group in groups)
    numbers = [n for name, e in table("driver_errors/sxids.toml").items() if name != "units" for n in e["numbers"]]
    assert sorted(numbers) == sorted({*numbers})


def test_the_xids_that_clusters_meet_most() -> None:
    wanted = (13, 31, 43, 45, 48, 63, 64, 74, 79, 94, 95, 109, 119, 120, 121, 137, 140, 143, 149, 155)
    assert [(n, xids()[n].says, xids()[n].cause, xids()[n].advice) for n in wanted] == snapshot(
        [
            (13, "graphics engine exception", "gpu-application-fault", "restart-job"),
            (31, "memory page fault", "gpu-application-fault", "restart-job"),
            (43, "reset channel", "gpu-application-fault", "look-before"),
            (45, "preemptive cleanup", "gpu-application-fault", "look-before"),
            (48, "double-bit ECC error", "gpu-memory-errors", "reset-gpu"),
            (63, "row remap or page retirement recorded", "gpu-memory-errors", "go-on"),
            (64, "row remap or page retirement failed", "gpu-memory-errors", "reset-gpu"),
            (74, "NVLink error", "nvlink-down", "nvlink"),
            (79, "GPU has fallen off the bus", "gpu-missing", "reboot"),
            (94, "contained ECC error", "gpu-memory-errors", "restart-job"),
            (95, "uncontained ECC error", "gpu-memory-errors", "reset-gpu"),
            (109, "context switch timeout", "gpu-driver-hung", "reset-gpu"),
            (119, "GSP RPC timeout", "gpu-driver-hung", "reset-gpu"),
            (120, "GSP error", "gpu-driver-hung", "reset-gpu"),
            (121, "corrected error between processor and GPU (C2C)", "", "go-on"),
            (137, "NVLink access that a peer's memory protection refused", "gpu-application-fault", "restart-job"),
            (140, "unrecovered ECC error", "gpu-memory-errors", "reset-gpu"),
            (143, "GPU initialisation failed", "gpu-driver-hung", "reset-gpu"),
            (149, "NVLink NETIR error", "nvlink-down", "nvlink-five"),
            (155, "NVLink software-defined error", "nvlink-down", "reset-gpu"),
        ]
    )


def test_a_number_of_a_switch_has_the_words_of_its_unit_at_least() -> None:
    said = [sxid(number) for number in (20034, 12028, 10004, 19072, 99)]
    assert [(each.says, each.advice) if each else None for each in said] == snapshot(
        [
            ("a link went down", "reset-gpu"),
            ("a GPU refused an access: often a process that had ended", "look-before"),
            ("the switch is too hot", "check-heat"),
            ("error of a link's transport layer", ""),
            None,
        ]
    )


def test_the_strongest_advice_comes_first() -> None:
    both = [xids()[63], xids()[79]]
    assert advised(both, "Xid") == snapshot(
        ("NVIDIA advises for Xid 79: drain the node and restart it; test it before it works again.", "dcgmi diag -r 3")
    )
