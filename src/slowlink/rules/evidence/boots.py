"""Did a node boot again? The first line of a kernel's log tells its version, as a reading or as an observation by the
form of the line."""

from __future__ import annotations

from collections.abc import Container
from itertools import chain

from slowlink.model.facts import Observations, Readings
from slowlink.model.source import Ref

KERNEL = "kernel-release"
_FIRST_LINE = "Linux version"


def boot_behind(
    ref: Ref, hosts: Container[str | None] | None, kernels: Readings | None, seen: Observations | None
) -> Ref | None:
    """The first line of a boot that the log of ``ref`` shows behind it, of no node by name or one of ``hosts`` (None:
    any node). ``kernels`` and ``seen``: at least those called ``KERNEL``."""
    told = chain(
        ((each.ref, each.host) for each in (kernels.all if kernels is not None else ())),
        ((each.ref, each.host) for each in (seen.all if seen is not None else ()) if each.kind == KERNEL),
    )
    return next(
        (
            boot
            for boot, host in told
            if _FIRST_LINE in boot.text
            and boot.source == ref.source
            and boot.line > ref.line
            and (host is None or hosts is None or host in hosts)
        ),
        None,
    )
