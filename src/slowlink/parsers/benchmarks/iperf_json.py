"""``iperf3 -J``: one JSON document a test, of which the sums at its end are read::

    {"start": {"connecting_to": {"host": "gpu02", "port": 5201}}, "intervals": [],
     "end": {"sum_sent": {"bytes": 29400000000, "bits_per_second": 23520000000.0, "retransmits": 12},
             "sum_received": {"bytes": 29390000000, "bits_per_second": 23512000000.0}}}

Source: ``iperf_api.c`` of iperf 3.1 to 3.17 (``iperf_json_finish``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from slowlink.model.job import JobEvent
from slowlink.model.source import Ref


class IperfJson:
    """The same event as the text's."""

    kind: ClassVar[str] = "iperf"

    @staticmethod
    def wants_document(value: object) -> bool:
        return (
            isinstance(value, dict) and {"start", "intervals", "end"} <= value.keys() and isinstance(value["end"], dict)
        )

    def read(self, value: object, source: str, line: int) -> Iterable[JobEvent]:
        assert isinstance(value, dict)
        end, start = value["end"], _mapping(value["start"])
        got = _mapping(end.get("sum_received") or end.get("sum"))
        sent = _mapping(end.get("sum_sent") or end.get("sum"))
        rate, size = got.get("bits_per_second"), sent.get("bytes")
        if not isinstance(rate, int | float) or not isinstance(size, int | float) or not 0 <= rate < 1e18:
            return
        peer = _mapping(start.get("connecting_to")).get("host")
        found = {"peer": peer, "retransmits": sent.get("retransmits"), "lost": got.get("lost_packets")}
        groups = {name: str(text)[:120] for name, text in found.items() if isinstance(text, str | int)}
        if "lost" in groups and isinstance(got.get("packets"), int):
            groups["datagrams"] = str(got["packets"])
        groups |= {"rate_gbit": f"{rate / 1e9:.6g}", "bytes": f"{size:.0f}"}
        text = f"sum_received: bits_per_second {rate:.0f}"
        yield JobEvent("iperf-result", "iperf", text, groups, Ref(source, line, text), None)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


DOCUMENT = IperfJson
