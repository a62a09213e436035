"""nvidia-smi mig and conf-compute: modes of GPUs."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_readings import said, unread

INSTANCES = """\
$ nvidia-smi mig -lgi
+-------------------------------------------------------+
| GPU instances:                                        |
| GPU   Name             Profile  Instance   Placement  |
|                          ID       ID       Start:Size |
|=======================================================|
|   0  MIG 1g.10gb+me      20       13          6:1     |
+-------------------------------------------------------+
|   4  MIG 3g.40gb          9        1          0:4     |
+-------------------------------------------------------+
"""
COMPUTE = """\
$ nvidia-smi mig -lci
+--------------------------------------------------------------------+
| Compute instances:                                                 |
| GPU     GPU       Name             Profile   Instance   Placement  |
|       Instance                       ID        ID       Start:Size |
|         ID                                                         |
|====================================================================|
|   0      1       MIG 1c.3g.40gb       2         0          0:3     |
+--------------------------------------------------------------------+
"""


def test_gpus_with_instances_are_in_mig_mode() -> None:
    assert said(INSTANCES) == snapshot(["gpu-mig 0 = True", "gpu-mig 4 = True"])
    assert said(COMPUTE) == snapshot(["gpu-mig 0 = True"])
    assert unread(INSTANCES + COMPUTE) == []


def test_confidential_computing() -> None:
    assert said("$ nvidia-smi conf-compute -f\nCC status: OFF\n") == snapshot(["gpu-confidential-computing  = False"])


def test_gpus_that_are_not_divided_are_the_usual() -> None:
    for answer in ("No GPU instances found: Not Found", "No MIG-enabled devices found."):
        text = f"$ nvidia-smi mig -lgi\n{answer}\n"
        assert said(text) == unread(text) == []


QUERY = """\
$ nvidia-smi conf-compute -q
==============NVSMI CONF-COMPUTE LOG==============

    CC State                   : ON
    Multi-GPU Mode             : None
    CPU CC Capabilities        : INTEL TDX
    GPU CC Capabilities        : CC Capable
    CC GPUs Ready State        : Ready
"""


def test_confidential_computing_by_its_query() -> None:
    assert said(QUERY) == ["gpu-confidential-computing  = True"]
    assert unread(QUERY) == []
