"""perfquery, ibportstate and smpquery: blocks of dotted lines under a heading."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from inline_snapshot import snapshot

from slowlink.parsers.fabric.perfquery import PerfQuery


def test_counters_of_perfquery() -> None:
    assert said(PerfQuery, texts.PERFQUERY) == snapshot(
        [
            ("lid 7/2", "link-lid", 7),
            ("lid 7/2", "port-xmit-data", 400),
            ("lid 7/2", "port-rcv-packets", 9),
            ("lid 7/2", "port-symbol-errors", 4),
            ("lid 21/1", "link-lid", 21),
            ("lid 21/1", "port-local-physical-errors", 3),
            ("lid 21/1", "port-malformed-packets", 0),
        ]
    )


def test_port_and_node_of_smpquery() -> None:
    assert said(PerfQuery, texts.PORT_INFO) == snapshot(
        [
            ("lid 7/2", "link-lid", 7),
            ("lid 7/2", "link-state", "Active"),
            ("lid 7/2", "link-physical-state", "LinkUp"),
            ("lid 7/2", "link-lid", 7),
            ("lid 7/2", "link-sm-lid", 1),
            ("lid 7/2", "link-width-supported", 4),
            ("lid 7/2", "link-width", 4),
            ("lid 7/2", "link-mtu", 4096),
            ("lid 7/2", "link-speed", 106.25),
            ("lid 7/2", "link-speed-supported", 106.25),
            ("lid 7", "fabric-node-type", "switch"),
            ("lid 7", "fabric-node-ports", 65),
            ("lid 7", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("lid 7", "fabric-node-device", "0xd2f2"),
        ]
    )


def test_a_port_that_is_named_by_its_route_is_nobodys() -> None:
    text = texts.PERFQUERY.replace("Lid 7 port 2 (", "DR path slid 0; dlid 0; 0,1 port 2 (").split("# Port counters")[0]
    assert said(PerfQuery, text) == []


def test_fields_without_a_heading_are_nobodys() -> None:
    assert said(PerfQuery, "\n".join(texts.PERFQUERY.splitlines()[1:6])) == []


def test_the_older_speed_of_a_block_that_is_cut_may_be_too_low() -> None:
    """The field with the real speed comes last."""
    cut = texts.PORT_INFO[: texts.PORT_INFO.index("LinkSpeedExtActive")]
    assert [entry for entry in said(PerfQuery, cut) if entry[1] == "link-speed"] == []
    slow = cut.replace("LinkSpeedActive:.................10.0", "LinkSpeedActive:.................5.0")
    assert [entry for entry in said(PerfQuery, slow) if entry[1] == "link-speed"] == [("lid 7/2", "link-speed", 5.0)]


def test_counts_below_zero_and_words_are_no_counts() -> None:
    text = "# Port extended counters: Lid 7 port 2\nPortXmitData:....................18446744073709551576\nPortRcvPkts:.....................N/A\n"
    assert said(PerfQuery, text) == [("lid 7/2", "link-lid", 7)]


ONLY_SOME = "PortXmitData:....................100\nPortXmitWait:....................{waited}\n"


def asking(command: str, *waited: int) -> str:
    return f"$ {command}\n" + "".join(ONLY_SOME.format(waited=each) for each in waited)


def test_the_command_names_the_port_where_its_heading_was_filtered_out() -> None:
    twice = "perfquery -x 7 2 | grep Xmit; sleep 30; perfquery -x 7 2 | grep Xmit"
    assert said(PerfQuery, asking(twice, 5, 9)) == snapshot(
        [
            ("lid 7/2", "port-xmit-data", 400),
            ("lid 7/2", "port-xmit-wait", 5),
            ("lid 7/2", "port-xmit-data", 400),
            ("lid 7/2", "port-xmit-wait", 9),
        ]
    )
    assert said(PerfQuery, asking(twice.replace("7 2", "7 3", 1), 5, 9)) == [], "of which port is which?"
    for other in ("perfquery -a 7 2", "perfquery 7", "perfquery -x 7 255", "perfquery -G 7 2"):
        assert said(PerfQuery, asking(other, 5)) == [], other


def test_a_heading_says_more_than_the_command() -> None:
    assert said(PerfQuery, "$ perfquery -x 9 9\n" + texts.PERFQUERY) == said(PerfQuery, texts.PERFQUERY)
