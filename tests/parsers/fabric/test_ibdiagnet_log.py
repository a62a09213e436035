"""ibdiagnet's own output: stages, sums, and counters above its thresholds."""

from __future__ import annotations

import fabric_texts as texts
from fabric_reading import said
from feeding import feed
from inline_snapshot import snapshot

from slowlink.model.source import Line
from slowlink.parsers.fabric.ibdiagnet_log import IbdiagnetLog
from slowlink.parsers.forms.interface import Use

LOG = """\
-E- Ports counters Difference Check (during run) finished with errors
-E- lid=0x0021 dev=54000 leafq/U1/P3
    Performance Monitor counter     : Value
    symbol_error_counter            : 77          (threshold=0)
-I- Partition Keys finished successfully
    symbol_error_counter            : 88          (threshold=0)
"""


def test_log_of_ibdiagnet() -> None:
    assert said(IbdiagnetLog, texts.DIAG_LOG) == snapshot(
        [
            ("", "fabric-switches", 2),
            ("", "fabric-adapters", 4),
            ("ibdiagnet/Links Check", "ibdiagnet-message", "finished with errors"),
            ("ibdiagnet/leafa/U1/P1/1/2", "ibdiagnet-message", "Speed is lower than supported"),
            ("", "fabric-nodes", 6),
            ("", "fabric-switches", 2),
            ("", "fabric-cas", 3),
            ("", "fabric-aggregation-nodes", 1),
            ("", "fabric-ar-switches", 2),
            ("", "fabric-links", 5),
            ("4x 100", "fabric-link-class", 4),
            ("1x 100", "fabric-link-class", 1),
            ("lid 7", "sm-state", "master"),
            ("lid 7", "sm-priority", 14),
            ("lid 7", "fabric-node-guid", "0x0c42a10300aa1000"),
            ("", "sm-reachable", True),
            ("", "fabric-standby-sms", 0),
            ("ibdiagnet/Discovery", "ibdiagnet-warnings", 3),
            ("ibdiagnet/Discovery", "ibdiagnet-errors", 0),
            ("ibdiagnet/Speed / Width checks", "ibdiagnet-warnings", 0),
            ("ibdiagnet/Speed / Width checks", "ibdiagnet-errors", 2),
        ]
    )


def test_counters_belong_to_the_port_above() -> None:
    read = feed(IbdiagnetLog, LOG.splitlines())
    found = [(r.attribute, r.part.name, r.value) for r in read if r.attribute.startswith("port-")]
    assert found == [("port-symbol-errors", "leafq/3", 77)]


def test_a_fabric_without_a_subnet_manager() -> None:
    assert said(IbdiagnetLog, "Master SM : No Master SM\n") == [("", "sm-reachable", False)]


def test_lines_that_are_cut_are_not_read() -> None:
    text = "-I- Links Check                         1\nLinks at 4x100          :\nTotal Nodes             : \nMaster SM: Port=0 LID=7 GUID=0x0c42\n"
    assert said(IbdiagnetLog, text) == []


def test_words_of_headings_are_not_claimed_without_a_run() -> None:
    assert IbdiagnetLog().feed(Line("t", 1, "Discovery")) is Use.NOT_MINE
