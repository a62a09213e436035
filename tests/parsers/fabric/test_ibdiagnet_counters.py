"""ibdiagnet's own output: counters above its thresholds, below the port that they are of."""

from __future__ import annotations

from feeding import feed

from slowlink.inputs import Input
from slowlink.parsers.fabric.ibdiagnet_log import IbdiagnetLog
from slowlink.parsers.reading.read import read

LOG = """\
-E- Ports counters Difference Check (during run) finished with errors
-E- lid=0x0021 dev=54000 leafq/U1/P3
    Performance Monitor counter     : Value
    symbol_error_counter            : 77          (threshold=0)
-I- Partition Keys finished successfully
    symbol_error_counter            : 88          (threshold=0)
"""


def test_counters_belong_to_the_port_above() -> None:
    found = [(r.attribute, r.part.name, r.value) for r in feed(IbdiagnetLog, LOG.splitlines())]
    assert found == [("port-symbol-errors", "leafq/3", 77)]


def test_iblinkinfo_behind_a_prefix_of_pdsh() -> None:
    row = '           4   18[  ] ==( 4X       53.125 Gbps Active/  LinkUp)==>      52    1[  ] "gpu18 HCA-1" ( )'
    text = "".join(f"head01: {one}\n" for one in ("Switch: 0x00000000000000a1 leafq:", row, row))
    readings = read([Input("a.txt", None, [text.encode()])], workers=1).readings
    assert {(r.host, r.value) for r in readings if r.attribute == "link-speed"} == {("head01", 53.125)}
