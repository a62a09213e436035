"""On which processor core each proxy thread of a rank began (INIT).

Every process has a thread that answers other ranks of its node (``Proxy Service``), one that hands over file
descriptors (``Proxy Service UDS``, 2.23+), and one that drives the network (``Proxy Progress``). They inherit
the processors that NCCL chose for the GPU (``src/proxy.cc``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.model.nccl import ProxyCore
from slowlink.parsers.nccl.nccl_log.message import At, NcclMessage, Sample, sample


def _core(match: re.Match[str], at: At) -> Iterator[ProxyCore]:
    yield ProxyCore(match["thread"], int(match["device"]), int(match["core"]), at.process, at.ref)


MESSAGES = (
    NcclMessage(
        r"\[Proxy (?P<thread>Progress|Service(?: UDS)?)\] Device (?P<device>\d{1,4}) CPU core (?P<core>\d{1,5})(?= |$)",
        (
            *sample("2.19+", "[Proxy Service] Device 0 CPU core 17", "[Proxy Progress] Device 3 CPU core 18"),
            Sample("2.23+", "[Proxy Service UDS] Device 0 CPU core 19"),
        ),
        _core,
        subsystem="INIT",
    ),
)
