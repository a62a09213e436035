"""What HPE's parallel application launch service (PALS) prints when ranks end or cannot start.

The rank that crashed, and one that was ended because of it::

    node7.cluster: rank 2 died from signal 11 and dumped core
    node8.cluster: rank 9 died from signal 15

Source: ``mpiexec`` of PALS 1.x on Slingshot systems. Signals 9 and 15 are what the launcher sends to the others.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser

_WHO = r"(?P<host>[\w.-]{1,120}): rank (?P<rank>\d+) "

MESSAGES = (
    EventPattern(
        "process-killed",
        "died from signal",
        _WHO + r"died from signal (?P<signal>15|9)\b",
        ("node7.cluster: rank 1 died from signal 15",),
        secondary=True,
    ),
    EventPattern(
        "process-crashed",
        "died from signal",
        _WHO + r"died from signal (?P<signal>\d+)",
        ("node7.cluster: rank 2 died from signal 6 and dumped core",),
    ),
    EventPattern(
        "process-crashed",
        "exited with code",
        _WHO + r"exited with code (?P<code>13[2-9])\b",
        ("node7.cluster: rank 0 exited with code 134",),
    ),
    EventPattern(
        "process-exited",
        "exited with code",
        _WHO + r"exited with code (?P<code>\d+)",
        ("node7.cluster: rank 0 exited with code 1",),
    ),
    EventPattern(
        "pmi-failure",
        "PMI to use",
        r"launch failed on (?P<host>[\w.-]{1,120}): Couldn't allocate a port for PMI",
        ("launch failed on node7: Couldn't allocate a port for PMI to use",),
    ),
    EventPattern(
        "launch-failed",
        "launch failed on ",
        r"launch failed on (?P<host>[\w.-]{1,120}): (?P<error>.{1,160})",
        ("launch failed on node7: couldn't start helper process",),
    ),
)


class Pals(MessageParser):
    """Events of PALS: ranks that crashed, exited or were ended, and launches that failed."""

    kind: ClassVar[str] = "pals"
    origin: ClassVar[str] = "pals"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES


PARSER = Pals
