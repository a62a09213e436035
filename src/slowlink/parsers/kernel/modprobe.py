"""What ``modprobe`` and ``insmod`` print when a peer-memory module cannot be loaded::

    modprobe: ERROR: could not insert 'nvidia_peermem': Invalid argument
    modprobe: FATAL: Module nvidia-peermem not found in directory /lib/modules/5.15.0-91-generic

Source: ``tools/modprobe.c`` and ``tools/insmod.c`` of kmod 20 to 34.
"""

from __future__ import annotations

from typing import ClassVar

from slowlink.parsers.forms.message_table import EventPattern, MessageParser

_MODULE = r"(?P<module>nvidia[_-]peermem|nv_peer_mem|ib_peer_mem|gdrdrv)"

MESSAGES = (
    EventPattern(
        "module-refused",
        "could not insert ",
        rf"(?:modprobe|insmod): ERROR: could not insert (?:module )?[' ]?(?:\S{{0,200}}/)?{_MODULE}"
        r"(?:\.ko\S{0,4})?'?: (?P<error>\S.{0,80})",
        ("modprobe: ERROR: could not insert 'nvidia_peermem': Invalid argument",),
    ),
    EventPattern(
        "module-refused",
        " not found in directory ",
        rf"modprobe: FATAL: Module {_MODULE} (?P<error>not found) in directory /\S{{3,120}}",
        ("modprobe: FATAL: Module nvidia-peermem not found in directory /lib/modules/5.15.0-91-generic",),
    ),
)


class Modprobe(MessageParser):
    """Events of modules that could not be loaded."""

    kind: ClassVar[str] = "modprobe"
    origin: ClassVar[str] = "kernel"
    messages: ClassVar[tuple[EventPattern, ...]] = MESSAGES


PARSER = Modprobe
