"""ibdiagnet's tables of comma-separated values."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.fabric.ibdiagnet_csv import IbdiagnetCsv
from slowlink.parsers.forms.interface import Use


def test_tables_of_ibdiagnet() -> None:
    assert said(IbdiagnetCsv, texts.CSV) == snapshot(
        [
            ("leafa", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("leafa", "fabric-node-type", "switch"),
            ("leafa", "fabric-node-ports", 65),
            ("gpu01 mlx5_0", "fabric-node-guid", "0x0c42a10300aa0100"),
            ("gpu01 mlx5_0", "fabric-node-type", "ca"),
            ("gpu01 mlx5_0", "fabric-node-ports", 1),
            ("leafa/1", "link-state", "Active"),
            ("leafa/1", "link-physical-state", "LinkUp"),
            ("leafa/1", "link-width", 4),
            ("leafa/2", "link-state", "Down"),
            ("leafa/2", "link-physical-state", "Polling"),
            ("leafa/1", "link-peer", "gpu01 mlx5_0/1"),
            ("gpu01 mlx5_0/1", "link-peer", "leafa/1"),
            ("gpu01 mlx5_0/1", "port-symbol-errors", 300),
            ("gpu01 mlx5_0/1", "port-xmit-data", 400),
        ]
    )


def test_a_file_that_is_cut_within_a_table() -> None:
    cut = texts.CSV[: texts.CSV.index("END_LINKS") - 4]
    assert said(IbdiagnetCsv, cut)[-2:] == snapshot(
        [("leafa/2", "link-state", "Down"), ("leafa/2", "link-physical-state", "Polling")]
    )


def test_nodes_without_a_row_go_by_their_guid() -> None:
    text = "START_PM_INFO\nNodeGUID,PortGUID,PortNumber,PortXmitWaitExt\n0xa1,0xa1,3,7\n0xa1,0xa1,255,9\nxx,0xa1,3,7\nEND_PM_INFO\n"
    assert said(IbdiagnetCsv, text) == snapshot([("0x00000000000000a1/3", "port-xmit-wait", 7)])


def test_rows_outside_a_table_are_nobodys() -> None:
    assert said(IbdiagnetCsv, "\n".join(row for row in texts.CSV.splitlines() if not row.startswith("START"))) == []


@given(st.sampled_from(["START_NODES", "START_LINKS", "START_PM_INFO"]), st.lists(st.text(max_size=60), max_size=4))
def test_any_row_of_a_table_gives_a_result(table: str, rows: list[str]) -> None:
    parser = IbdiagnetCsv()
    for number, text in enumerate(
        [table, "NodeDesc,NodeGUID,PortNumber,SymbolErrorCounter", *(f"0x1,{r}" for r in rows)]
    ):
        assert parser.feed(Line("t", number, text)) in Use
    list(parser.finish())
