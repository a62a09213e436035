"""How an entry of the catalogue of warnings is declared. The entries are in the modules of ``warnings/``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.model.nccl import LogWarning
from slowlink.parsers.nccl.nccl_log.message import At, Keep, NcclMessage, Sample


def warning(
    name: str,
    meaning: str,
    pattern: str,
    *samples: Sample,
    levels: tuple[str, ...] = ("WARN",),
    secondary: bool = False,
    continues: str | None = None,
    bare: bool = False,
) -> NcclMessage:
    """A message about something that went wrong. Named groups of ``pattern`` become ``LogWarning.groups``.

    ``levels`` is what the versions print it at; it is recognised at any level, for several messages moved between
    WARN and INFO. ``secondary`` marks what another rank's failure causes.
    """

    def read(match: re.Match[str], at: At) -> Iterator[LogWarning]:
        groups = {key: value for key, value in match.groupdict().items() if value is not None}
        yield LogWarning(name, at.level, at.body, secondary, groups, at.location, at.process, at.ref, at.count)

    return NcclMessage(
        pattern,
        samples,
        read,
        Keep.ONCE,
        id=name,
        meaning=meaning,
        secondary=secondary,
        levels=levels,
        continues=continues,
        bare=bare,
    )
