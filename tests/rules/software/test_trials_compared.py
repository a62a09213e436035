from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import said

RULE = "trials-compared"


def trials(**gbs: float) -> str:
    """``NCCL__IB__HCA_is_x=92.4``: two underscores are one, and ``_is_`` is an equals sign."""
    named = ((name.replace("__", "-").replace("_is_", "=").replace("-", "_"), value) for name, value in gbs.items())
    return "".join(f"{name}: {value} GB/s\n" for name, value in named)


def test_the_setting_that_makes_it_fast_says_what_is_wrong_without_it() -> None:
    assert said(RULE, trials(default=18.2, NCCL__IB__GID__INDEX_is_3=187.5, NCCL__ALGO_is_Ring=18.1)) == snapshot(
        [
            (
                "gid-index-wrong",
                "error",
                "likely",
                "the test reaches 18.2 GB/s with 'default' and 187.5 with 'NCCL_IB_GID_INDEX=3': 90% less",
            )
        ]
    )


def test_one_that_makes_it_slow_was_made_for_the_comparison() -> None:
    assert said(RULE, trials(baseline=381.0, NCCL__NET__GDR__LEVEL_is_LOC=152.0)) == snapshot(
        [
            (
                "gdr-level-too-strict",
                "warning",
                "likely",
                "the test reaches 152 GB/s with 'NCCL_NET_GDR_LEVEL=LOC' and 381 with 'baseline': 60% less",
            )
        ]
    )


@pytest.mark.parametrize(
    ("slow", "fast", "cause"),
    [
        ("ACS on", "ACS off", "acs-enabled"),
        ("without GDR", "with GDR", "gdr-disabled"),
        ("nvidia_peermem not loaded", "nvidia_peermem loaded", "gdr-disabled"),
        ("IOMMU enabled", "IOMMU=pt", "iommu-translating"),
        ("NUMA balancing: on", "NUMA balancing: off", "numa-balancing-on"),
        ("PFC off", "PFC on (prio 3)", "pfc-ecn-settings"),
    ],
)
def test_a_part_that_is_on_and_off(slow: str, fast: str, cause: str) -> None:
    found = said(RULE, f"{slow}: all_reduce busbw 61 GB/s\n{fast}: all_reduce busbw 362 GB/s\n")
    assert [(each[0], each[1]) for each in found] == [(cause, "error")]
    assert said(RULE, f"{slow}: busbw 360 GB/s\n{fast}: busbw 362 GB/s\n") == []
    assert said(RULE, f"{fast}: busbw 61 GB/s\n{slow}: busbw 362 GB/s\n") == []
