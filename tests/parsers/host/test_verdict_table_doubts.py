"""Cells that speak against a good verdict."""

from __future__ import annotations

import pytest

from slowlink.parsers.host.verdict_tables.doubts import doubts_of, left_out, nodes_told


@pytest.mark.parametrize(
    ("title", "cells", "doubts"),
    [
        ("gpus", ["8/8", "7/8"], ["", "1 of 8 gpus missing"]),
        ("gpus", ["8", "8", "7"], ["", "", "gpus low: 7 where others have 8"]),
        ("gpus used", ["3/8", "0/8"], ["", ""]),
        ("xid_24h", ["0", "3"], ["", "xid_24h: 3 errors"]),
        ("ecc", ["0", "0", "4"], ["", "", "ecc: 4 errors"]),
        ("ecc", ["1", "1"], ["", ""]),
        ("rate", ["400", "400", "200"], ["", "", "rate low: 200 where others have 400"]),
        ("busbw", ["361.2 GB/s", "358.9 GB/s"], ["", ""]),
        ("temp", ["31", "62"], ["", ""]),
        ("gpu_util", ["98", "97", "3"], ["", "", ""]),
        ("free_gb", ["900", "910", "88"], ["", "", ""]),
        ("remark", ["rebooted", "-"], ["", ""]),
    ],
)
def test_one_column(title: str, cells: list[str], doubts: list[str]) -> None:
    assert doubts_of([title], [[cell] for cell in cells]) == doubts


def test_lines_around_a_table() -> None:
    assert left_out("errors: 0   unreachable: 2")
    assert not left_out("errors: 0   failures: 0   skipped checks: 1 (thermal)")
    assert nodes_told("SITE HEALTH CHECK    cluster=w    nodes=10") == 10
    assert nodes_told("12 checks on every node") == 0
