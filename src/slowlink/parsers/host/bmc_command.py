"""Which machine's management controller (BMC) a command asks: ``ipmitool -H gpu07-bmc sel list`` asks that of gpu07."""

from __future__ import annotations

from slowlink.patterns import regex

PROGRAM = "ipmitool"
_REMOTE = regex(r"\bipmitool\b.{0,120}? -H ?(?P<host>[A-Za-z][\w.-]{1,80})")
_OF_BMC = regex(r"[-_.]?(?:bmc|ipmi|ilo|idrac|mgmt|oob)\b|\b(?:bmc|ipmi)[-_]")


def asked_machine(command: str) -> str | None:
    """The machine, without what marks the name as its controller's; None where the command asks its own."""
    remote = _REMOTE.search(command[:1000])
    return _OF_BMC.sub("", remote["host"]) if remote is not None else None
