"""Messages of programs with what the catalogue says that they mean (``catalog/vocabulary/``)."""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.catalog.vocabulary import Meaning, meaning_of
from slowlink.model.facts import Events, Warnings
from slowlink.model.nccl import LogWarning
from slowlink.parsers.nccl.nccl_log.registry import VOCABULARIES
from slowlink.rules.evidence.messages import LogMessage


def meant(events: Events | None, warnings: Warnings | None) -> Iterator[tuple[LogMessage, Meaning]]:
    """Every message that a vocabulary knows: of programs, of NCCL, and of NCCL as a framework repeats it."""
    for event in events.all if events is not None else ():
        meaning = meaning_of(event.origin, event.kind)
        if meaning is not None:
            yield event, meaning
    for warning in warnings.all if warnings is not None else ():
        yield from _of_nccl(warning)


def _of_nccl(warning: LogWarning) -> Iterator[tuple[LogMessage, Meaning]]:
    """The meaning of a warning in NCCL's log, which its plugins write, too."""
    meaning = next(filter(None, (meaning_of(name, warning.message) for name in VOCABULARIES)), None)
    if meaning is not None:
        yield warning, meaning
