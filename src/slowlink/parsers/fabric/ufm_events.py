"""Links in the event log of UFM, the manager of InfiniBand fabrics.

Source: NVIDIA UFM Enterprise user manual, "Events & Alarms". ``/opt/ufm/log/event.log`` has one event a line, with its
number, the number of its kind, severity, category and object::

    2026-01-01 12:00:00.100 [77] [329] INFO [Link] IBPort [leafa / 8] [dev_id: 0c42]: Link went down: (Switch:leafa:8)
    2026-01-01 12:00:09.200 [78] [328] INFO [Link] IBPort [leafa / 8] [dev_id: 0c42]: Link went up: (Switch:leafa:8)

A node that starts again loses its links, too, so one loss is no fault yet. Other events are known and not read.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser, NoisePattern

_END = r"\((?:Switch|Computer|Host|Gateway|Router): ?(?P<interface>[^()\s:]{1,80}(?: [\w.-]{1,20})?:[\w/]{1,12})\)"

MESSAGES = (
    EventPattern(
        "kernel-link-down",
        "Link went down: (",
        r"Link went down: " + _END,
        (
            "[77] [329] INFO [Link] IBPort [default(3) / Switch: leafa / NA / 8] [dev_id: 0c42]: Link went down: "
            "(Switch:leafa:8) to (Computer:gpu01 HCA-1:1)",
        ),
    ),
    EventPattern(
        "kernel-link-up",
        "Link went up: (",
        r"Link went up: " + _END,
        (
            "[78] [328] INFO [Link] IBPort [default(3) / Switch: leafa / NA / 8] [dev_id: 0c42]: Link went up: "
            "(Switch:leafa:8) to (Computer:gpu01 HCA-1:1)",
        ),
    ),
)

NOISE = (
    NoisePattern(
        "] [dev_id: ",
        r"\[\d{1,12}\] \[\d{1,6}\] (?:INFO|MINOR|WARNING|CRITICAL) \[\w{1,40}\] \w{1,40} \[.{1,200}?\]"
        r" \[dev_id: \w{1,40}\]:",
        ("[79] [352] INFO [Device] Switch [default(3) / Switch: leafa] [dev_id: 0c42]: Switch FW version is old",),
    ),
)


class UfmEvents(MessageParser):
    """Links that went down or came up, by the end that the event names first."""

    kind: ClassVar[str] = "ufm-events"
    origin: ClassVar[str] = "fabric"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES
    noise: ClassVar[tuple[NoisePattern, ...]] = NOISE


PARSER = UfmEvents
