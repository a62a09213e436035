"""``dcb pfc show dev INTERFACE`` and ``dcb apptrust``: which priorities are paused, and what chooses them::

    # dcb -s pfc show dev ens1np0
    pfc-cap 8 macsec-bypass off delay 0
    prio-pfc 0:off 1:off 2:off 3:on 4:off 5:off 6:off 7:off
    requests 0:0 1:0 2:0 3:812 4:0 5:0 6:0 7:0
    indications 0:0 1:0 2:0 3:12 4:0 5:0 6:0 7:0
    # dcb apptrust show dev ens1np0
    order: dscp pcp

The output does not name the interface, so it is read only below the command that does. Requests are pause frames that
this end sent, indications those that it got. Traffic classes, buffers and rates are known and not read.

Source: iproute2 5.11 to 7.1, ``dcb/dcb.c``, ``dcb_pfc.c``, ``dcb_apptrust.c``, ``dcb_ets.c``, ``dcb_app.c``.
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

GAP = 12
_COMMAND = regex(
    r".{0,160}\bdcb (?:-\S{1,12} ){0,4}(?:pfc|apptrust|ets|app|buffer|maxrate|dcbx|rewr) show dev "
    r"(?P<interface>[\w.@-]{1,40})(?:\s.{0,60})?"
)
_PFC = regex(r"\s{0,8}prio-pfc(?P<values>(?: [0-7]:(?:on|off)){8})\s{0,8}")
_COUNTS = regex(r"\s{0,8}(?P<what>requests|indications)(?P<values>(?: [0-7]:\d{1,20}){8})\s{0,8}")
_TRUST = regex(
    r"\s{0,8}order: (?P<order>(?:ethtype|stream-port|dgram-port|port|dscp|pcp)(?: [a-z-]{3,12}){0,5})\s{0,8}"
)
_BESIDE = regex(
    r"\s{0,8}(?:pfc-cap \d.{0,80}|macsec-bypass (?:on|off)\s*|delay \d.{0,20}|willing (?:on|off).{0,60}"
    r"|(?:(?:reco-)?(?:tc-bw|tc-tsa|prio-tc)|pg-bw|tc-maxrate|prio-buffer|buffer-size) \d:.{0,200}"
    r"|(?:dscp|pcp|ethtype|port|stream-port|dgram-port|stream-dgram-port|default)-prio \S.{0,400}"
    r"|total-size \S{1,20}\s*"
    r"|(?:host|lld-managed|cee|ieee|static)(?: (?:host|lld-managed|cee|ieee|static)){0,4}\s*)"
)
_COUNTED = {"requests": "priority-pause-sent", "indications": "priority-pause-received"}


class Dcb:
    """Reads below the interface that the command named."""

    kind: ClassVar[str] = "dcb"
    literals: ClassVar[Literals] = Literals(
        (
            *(
                "dcb ",
                "\nprio-",
                "\nrequests 0:",
                "\nindications 0:",
                "\norder: ",
                "\npfc-cap ",
                "\nmacsec-",
                "\ndelay 0",
            ),
            *("\nwilling o", "\ntc-", "\npg-bw ", "\nreco-", "\nbuffer-size ", "-prio ", "\ntotal-size ", "\nhost"),
            *("\nlld-managed", "\ncee", "\nieee", "\nstatic"),
        )
    )

    def __init__(self) -> None:
        self._found: list[Reading] = []
        self._interface = ""
        self._last = 0

    @staticmethod
    def gate() -> Gate:
        return ((as_whole(_COMMAND, _PFC, _COUNTS, _TRUST, _BESIDE),),)

    @staticmethod
    def wants(text: str) -> bool:
        return any(form.fullmatch(text) for form in (_COMMAND, _PFC, _COUNTS, _TRUST, _BESIDE))

    @property
    def greedy(self) -> bool:
        return False

    def feed(self, line: Line) -> Use:
        command = _COMMAND.fullmatch(line.text)
        if command is not None:
            self._interface, self._last = command["interface"], line.no
            return Use.IGNORED
        if not self._interface or line.no - self._last > GAP:
            return Use.NOT_MINE
        use = self._take(line)
        self._last = self._last if use is Use.NOT_MINE else line.no
        return use

    def finish(self) -> Iterable[Reading]:
        return self._found

    def _take(self, line: Line) -> Use:
        interface = Part("interface", self._interface)
        paused, counts, trust = (form.fullmatch(line.text) for form in (_PFC, _COUNTS, _TRUST))
        if paused is not None:
            on = [value[0] for value in paused["values"].split() if value.endswith(":on")]
            self._add("interface-pfc", interface, " ".join(on) or "off", line)
        elif counts is not None:
            for priority, count in (value.split(":") for value in counts["values"].split()):
                self._add(_COUNTED[counts["what"]], Part("priority", f"{self._interface}/{priority}"), int(count), line)
        elif trust is not None:
            known = [word for word in trust["order"].split() if word in ("dscp", "pcp")]
            if known:
                self._add("interface-trust", interface, "both" if len(known) > 1 else known[0], line)
        else:
            return Use.IGNORED if _BESIDE.fullmatch(line.text) else Use.NOT_MINE
        return Use.USED

    def _add(self, name: str, part: Part, value: Value, line: Line) -> None:
        if MAX_READINGS.has_room(len(self._found)):
            self._found.append(reading(name, part, value, line))


PARSER = Dcb
