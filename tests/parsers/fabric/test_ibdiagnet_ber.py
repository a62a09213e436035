"""ibdiagnet's table of bit error rates."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from inline_snapshot import snapshot

from slowlink.parsers.fabric.ibdiagnet_ber import IbdiagnetBer


def test_bit_errors_of_ibdiagnet() -> None:
    assert said(IbdiagnetBer, texts.NET_DUMP_EXT) == snapshot(
        [
            ("leafa", "fabric-node-type", "switch"),
            ("leafa/1", "link-lid", 7),
            ("leafa/1", "link-state", "Active"),
            ("leafa/1", "link-physical-state", "LinkUp"),
            ("leafa/1", "link-width", 4),
            ("leafa/1", "link-speed", 106.25),
            ("leafa/1", "link-fec", "RS_FEC_544_514"),
            ("leafa/1", "link-raw-ber", 2e-08),
            ("leafa/1", "link-effective-ber", 0.0),
            ("leafa/1", "link-symbol-ber", 3e-14),
            ("leafa/1", "link-symbol-errors", 12),
            ("leafa/1", "link-effective-errors", 0),
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0/1", "link-lid", 21),
            ("gpu01 mlx5_0/1", "link-state", "Active"),
            ("gpu01 mlx5_0/1", "link-physical-state", "LinkUp"),
            ("gpu01 mlx5_0/1", "link-width", 4),
            ("gpu01 mlx5_0/1", "link-speed", 106.25),
            ("leafa", "fabric-node-type", "switch"),
            ("leafa/2", "link-lid", 7),
            ("leafa/2", "link-state", "Down"),
            ("leafa/2", "link-physical-state", "Polling"),
        ]
    )


def test_rows_without_their_head_are_not_read() -> None:
    rows = texts.NET_DUMP_EXT.splitlines()
    assert said(IbdiagnetBer, "\n".join(rows[4:])) == []


def test_columns_are_read_by_their_names() -> None:
    cells = {
        "Ty": "SW",
        "#IB": "3",
        "Node Desc": '"leafq"',
        "Eff BER": "2e-13",
        "LWA": "4x",
        "Word": "x",
        "GUID": "0x1",
        "LSA": "50",
    }
    columns = [*cells, *(f"Empty {number}" for number in range(5))]
    rows = " : ".join(columns), " : ".join([*cells.values(), *("N/A" for _ in range(5))])
    assert said(IbdiagnetBer, "\n".join(rows)) == snapshot(
        [
            ("leafq", "fabric-node-type", "switch"),
            ("leafq/3", "link-width", 4),
            ("leafq/3", "link-speed", 53.125),
            ("leafq/3", "link-effective-ber", 2e-13),
        ]
    )


def test_a_row_that_is_cut_is_not_read() -> None:
    head, row = texts.NET_DUMP_EXT.splitlines()[3:5]
    assert said(IbdiagnetBer, f"{head}\n{row[: row.index('3e-14')]}") == []
