"""``iperf3 -J``: one JSON document a test, of which the sums at its end are read::

    {"start": {"connecting_to": {"host": "gpu02", "port": 5201}}, "intervals": [],
     "end": {"sum_sent": {"bytes": 29400000000, "bits_per_second": 23520000000.0, "retransmits": 12},
             "sum_received": {"bytes": 29390000000, "bits_per_second": 23512000000.0}}}

``--bidir`` gives the sums twice, those of the other direction with ``_bidir_reverse`` behind their names: two events.

Source: ``iperf_api.c`` of iperf 3.1 to 3.21 (``iperf_print_results``, ``iperf_json_finish``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from slowlink.model.job import JobEvent
from slowlink.model.source import Ref

_DIRECTIONS = ("", "_bidir_reverse")


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
        end, peer = value["end"], _mapping(_mapping(value["start"]).get("connecting_to")).get("host")
        for direction in _DIRECTIONS:
            got = _mapping(end.get(f"sum_received{direction}") or end.get(f"sum{direction}"))
            sent = _mapping(end.get(f"sum_sent{direction}") or end.get(f"sum{direction}"))
            yield from _event(got, sent, peer, Ref(source, line, ""))


def _event(got: Mapping[str, Any], sent: Mapping[str, Any], peer: object, at: Ref) -> Iterator[JobEvent]:
    rate, size = got.get("bits_per_second"), sent.get("bytes")
    if isinstance(rate, int | float) and isinstance(size, int | float) and 0 <= rate < 1e18:
        found = {"peer": peer, "retransmits": sent.get("retransmits"), "lost": got.get("lost_packets")}
        groups = {name: str(text)[:120] for name, text in found.items() if isinstance(text, str | int)}
        if "lost" in groups and isinstance(got.get("packets"), int):
            groups["datagrams"] = str(got["packets"])
        groups |= {"rate_gbit": f"{rate / 1e9:.6g}", "bytes": f"{size:.0f}"}
        text = f"sum_received: bits_per_second {rate:.0f}"
        yield JobEvent("iperf-result", "iperf", text, groups, Ref(at.source, at.line, text), None)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


DOCUMENT = IperfJson
