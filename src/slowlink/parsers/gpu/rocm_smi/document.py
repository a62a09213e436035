"""JSON of rocm-smi: ``{"card0": {"GPU use (%)": "0"}, "system": {"Driver version": "6.8.5"}}``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.make_reading import MAX_READINGS
from slowlink.parsers.gpu.rocm_smi.fields import gpu_readings, split_key, system_readings
from slowlink.patterns import regex

_CARD = regex(r"card(\d{1,4})")


class RocmSmiDocument:
    """Gives the readings of each ``card`` and of ``system``, as the lines of text would."""

    kind: ClassVar[str] = "rocm-smi"

    @staticmethod
    def wants_document(value: object) -> bool:
        if not isinstance(value, Mapping):
            return False
        return any(_CARD.fullmatch(str(key)) and isinstance(value[key], Mapping) for key in islice(value, 64))

    def read(self, value: object, source: str, line: int) -> Iterable[Reading]:
        at = Line(source, line, "")
        return MAX_READINGS.first(_readings(value, at)) if isinstance(value, Mapping) else []


def _readings(value: Mapping[object, object], at: Line) -> Iterator[Reading]:
    for name, entries in islice(value.items(), 2000):
        card = _CARD.fullmatch(str(name))
        for key, text in islice(entries.items(), 2000) if isinstance(entries, Mapping) else ():
            if not isinstance(text, str | int | float):
                continue
            if card is not None:
                yield from gpu_readings(card[1], *split_key(f"{key}: {text}"), at)
            elif name == "system":
                yield from system_readings(str(key), str(text), at)
