"""ibqueryerrors: counters above their thresholds, links, and what was asked."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from inline_snapshot import snapshot

from slowlink.parsers.fabric.ibqueryerrors import IbQueryErrors


def test_errors_of_ibqueryerrors() -> None:
    assert said(IbQueryErrors, texts.ERRORS) == snapshot(
        [
            ("leafa/2", "link-guid", "0x0c42a10300aa1000"),
            ("leafa/2", "port-xmit-discards", 1300),
            ("leafa/2", "port-xmit-wait", 77),
            ("leafa/2", "port-rcv-data", 4000),
            ("leafa/2", "link-state", "Active"),
            ("leafa/2", "link-physical-state", "LinkUp"),
            ("leafa/2", "link-width", 4),
            ("leafa/2", "link-speed", 106.25),
            ("leafa/2", "link-peer", "gpu02 mlx5_0/1"),
            ("leafa/2", "link-lid", 7),
            ("gpu01 mlx5_0/1", "link-guid", "0x0c42a10300aa0100"),
            ("gpu01 mlx5_0/1", "port-symbol-errors", 12),
            ("gpu01 mlx5_0/1", "port-link-downed", 2),
            ("", "fabric-nodes-checked", 5),
            ("", "fabric-nodes-bad", 2),
            ("", "fabric-ports-checked", 200),
            ("", "fabric-ports-bad", 2),
            ("", "fabric-query-failures", 1),
        ]
    )


def test_no_answer_of_the_subnet_administrator() -> None:
    text = "Query SA failed: Connection timed out; sa call path_query failed"
    assert said(IbQueryErrors, text) == [("", "sm-reachable", False)]


def test_data_counters_are_in_bytes() -> None:
    text = 'Data Counters for 0xa1 "leafq"\n   GUID 0xa1 port 3: [PortXmitData == 10 (40.000)] [PortXmitPkts == 3]\n'
    assert said(IbQueryErrors, text) == snapshot(
        [
            ("leafq/3", "link-guid", "0x00000000000000a1"),
            ("leafq/3", "port-xmit-data", 40),
            ("leafq/3", "port-xmit-packets", 3),
        ]
    )


def test_ports_without_a_heading_are_nobodys() -> None:
    assert said(IbQueryErrors, "\n".join(texts.ERRORS.splitlines()[2:5])) == []


def test_a_counter_that_is_cut_is_not_read() -> None:
    cut = texts.ERRORS[: texts.ERRORS.index("[PortXmitWait == 77") + 12]
    assert said(IbQueryErrors, cut) == snapshot(
        [("leafa/2", "link-guid", "0x0c42a10300aa1000"), ("leafa/2", "port-xmit-discards", 1300)]
    )
