"""Queues of the kernel that slow an interface down: ``tc -s qdisc`` and ``tc -s class``::

    qdisc tbf 8001: dev eth0 root refcnt 2 rate 10Gbit burst 5Mb lat 50ms
     Sent 88422133445 bytes 61233445 pkt (dropped 40122, overlimits 9981234 requeues 12)
     backlog 3028Kb 340p requeues 12
    class htb 1:10 dev eth0 parent 1:1 leaf 10: prio 0 rate 500Mbit ceil 1Gbit burst 1600b cburst 1375b
    qdisc netem 8002: dev eth1 root refcnt 2 limit 1000 delay 10ms loss 0.5%

Where the command names an interface (``dev eth0``), the lines do not. A limit is a class's ``ceil``, else ``rate``,
``bandwidth`` or ``maxrate`` (of a flow). ``overlimits`` counts how often a packet had to wait for it; queues without a
limit count there, too, so it is read only of those with one. Queues that limit nothing and dropped nothing say nothing.

Source: iproute2 4.0 to 7.1, ``tc/tc_qdisc.c``, ``tc_class.c``, ``tc_util.c``, ``q_tbf.c``, ``q_htb.c``, ``q_cake.c``,
``q_fq.c``, ``q_netem.c``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Part, Reading, Value
from slowlink.parsers.forms.gates import Gate, as_whole
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.make_reading import MAX_READINGS, reading
from slowlink.patterns import regex

GAP = 6
_ASKED = regex(
    r"(?:.{0,160}[#$>\]] ?|\s{0,8})(?:sudo )?tc (?:-\S{1,12} ){0,4}(?:q|qd|qdisc|c|cl|class)(?: (?:show|list|ls|lst))?"
    r"(?: dev (?P<interface>[\w.@-]{1,40})(?:\s.{0,60})?)?\s{0,8}"
)
_QUEUE = regex(
    r"\s{0,8}(?:deleted |replaced |added )?(?P<what>qdisc|class) (?P<kind>[a-z][a-z_]{1,20}) "
    r"(?P<handle>[0-9a-f]{0,8}:[0-9a-f]{0,8}) (?:\[[0-9A-F]{1,8}\] ?)?(?:dev (?P<interface>[\w.@-]{1,40}) )?"
    r"(?P<rest>(?:root|parent|ingress|clsact|refcnt|leaf|offloaded|limit|rate|bands|prio|noqueue|\[).{0,600}|)"
)
_LIMIT = regex(
    r"(?:^| )(?P<name>ceil|rate|bandwidth|maxrate) (?P<number>\d{1,15}(?:\.\d{1,6})?)"
    r"(?P<unit>[KMGT]?)(?P<binary>i?)bit(?= |$)"
)
_DELAY = regex(r"(?:^| )delay (?P<number>\d{1,12}(?:\.\d{1,6})?)(?P<unit>s|ms|us|ns)(?= |$)")
_LOSS = regex(r"(?:^| )loss (?P<number>\d{1,3}(?:\.\d{1,9})?(?:e-\d{1,2})?)%(?= |$)")
_SENT = regex(
    r"\s{1,12}Sent \d{1,20} bytes (?P<packets>\d{1,20}) pkts? \(dropped (?P<dropped>\d{1,20}), "
    r"overlimits (?P<over>\d{1,20})(?: requeues \d{1,20})?\)\s*"
)
_BESIDE = regex(
    r"\s{1,12}(?:backlog (?:\d|p).{0,80}|rate \d{1,9}(?:\.\d{1,3})?[KMGT]?bit \d.{0,60}|lended: \d.{0,80}"
    r"|tokens: -?\d.{0,60}|Sent \d.{0,160}"
    r"|(?:maxpacket|new_flows_len|flows|gc|pkts_too_long|deficit|drop_overlimit|count|marked|throttled) -?\d.{0,200}"
    r")\s*"
)
_MILLISECONDS = {"s": 1e3, "ms": 1.0, "us": 1e-3, "ns": 1e-6}
_POWER = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_ORDER = ("ceil", "rate", "bandwidth", "maxrate")


class TrafficControl:
    """Remembers the interface that the command named, and the queue whose counts follow."""

    kind: ClassVar[str] = "tc"
    literals: ClassVar[Literals] = Literals(
        (
            *("tc ", "qdisc ", "class ", "overlimits ", "\nbacklog ", "\nlended: ", "\ntokens: ", "\nrate 0"),
            *("\nSent 0", "\nmaxpacket ", "\nnew_flows_len ", "\nflows ", "\ngc ", "\npkts_too_long "),
            *("\ndeficit ", "\ndrop_overlimit ", "\ncount ", "\nmarked ", "\nthrottled "),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._interface = ""
        self._queue: Part | None = None
        self._slows = False
        self._last = -GAP

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(_ASKED, _QUEUE, _SENT, _BESIDE),),)

    @staticmethod
    def wants(text: str) -> bool:
        return any(form.fullmatch(text) for form in (_ASKED, _QUEUE, _SENT, _BESIDE))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        asked = _ASKED.fullmatch(line.text)
        if asked is not None:
            self._interface, self._queue = asked["interface"] or "", None
            return Use.IGNORED
        queue = _QUEUE.fullmatch(line.text)
        if queue is not None:
            interface = queue["interface"] or self._interface
            self._queue = Part("queue", f"{interface} {queue['kind']} {queue['handle'].rstrip(':')}".strip())
            self._last, self._slows = line.no, self._limits(queue["kind"], queue["rest"], line)
            return Use.USED if self._slows else Use.IGNORED
        if self._queue is None or line.no - self._last > GAP:
            return Use.NOT_MINE
        sent = _SENT.fullmatch(line.text)
        if sent is None:
            return Use.IGNORED if _BESIDE.fullmatch(line.text) else Use.NOT_MINE
        self._last = line.no
        if not self._slows and sent["dropped"] == "0":
            return Use.IGNORED
        self._add("queue-sent", int(sent["packets"]), line)
        self._add("queue-drops", int(sent["dropped"]), line)
        if self._slows:
            self._add("queue-overlimits", int(sent["over"]), line)
        return Use.USED

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _limits(self, kind: str, options: str, line: Line) -> bool:
        """Does this queue hold packets back?"""
        before = len(self._found)
        rates = {found["name"]: found for found in _LIMIT.finditer(options)}
        rate = next((rates[name] for name in _ORDER if name in rates), None)
        if rate is not None and float(rate["number"]):
            bits = float(rate["number"]) * (1024 if rate["binary"] else 1000) ** _POWER[rate["unit"]]
            self._add("queue-rate", bits / 1e9, line)
        delay, loss = _DELAY.search(options), _LOSS.search(options)
        if kind == "netem" and delay is not None:
            self._add("queue-delay", round(float(delay["number"]) * _MILLISECONDS[delay["unit"]], 6), line)
        if kind == "netem" and loss is not None:
            self._add("queue-loss", float(loss["number"]), line)
        return len(self._found) > before

    def _add(self, name: str, value: Value, line: Line) -> None:
        if self._queue is not None and MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(name, self._queue, value, line))


PARSER = TrafficControl
