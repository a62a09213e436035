"""Forwarding tables: whose each LID is."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said

from slowlink.parsers.fabric.routes import Routes


def test_names_of_lids_in_forwarding_tables() -> None:
    assert said(Routes, texts.ROUTES) == [
        ("leafa", "fabric-node-type", "switch"),
        ("leafa", "fabric-node-lid", 7),
        ("gpu01 mlx5_0", "fabric-node-type", "ca"),
        ("gpu01 mlx5_0", "fabric-node-lid", 21),
    ]


def test_multicast_tables_name_nobody() -> None:
    text = "Multicast mlids [0xc000-0xc3ff] of switch Lid 7 guid 0x0c42a10300aa1000 (leafa):\n 2 valid mlids dumped\n"
    assert said(Routes, text) == []
    assert all(Routes.wants(row) for row in text.splitlines())


def test_rows_that_are_cut_are_not_read() -> None:
    row = texts.ROUTES.splitlines()[3]
    assert [said(Routes, row[:end]) for end in range(len(row))] == [[]] * len(row)
