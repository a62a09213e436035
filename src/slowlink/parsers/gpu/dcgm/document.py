"""JSON of dcgmi: ``diag -j`` of DCGM 3 and 4, and the trees of ``nvlink -j``, ``health -j``, ``topo -j``.

Checks that wrap dcgmi (schedulers' health checks, agents) keep its JSON as a value of their own: it is looked for a
few levels deep.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from slowlink.model.source import Line
from slowlink.model.state import Reading
from slowlink.parsers.forms.limit import Limit
from slowlink.parsers.forms.make_reading import MAX_READINGS
from slowlink.parsers.gpu.dcgm.diag import json_readings
from slowlink.parsers.gpu.dcgm.meaning import readings_of
from slowlink.parsers.gpu.dcgm.tree import tree_of

_DIAG = ("DCGM Diagnostic", "DCGM GPU Diagnostic")
_DEEPEST = 3
_MOST = Limit(100_000, "values")
"""Values looked at in search of dcgmi's own."""


class DcgmDocument:
    """Finds what dcgmi wrote inside a JSON value, and gives the readings that its boxes would give."""

    kind: ClassVar[str] = "dcgm"

    @staticmethod
    def wants_document(value: object) -> bool:
        return next(_roots(value), None) is not None

    def read(self, value: object, source: str, line: int) -> Iterable[Reading]:
        at = Line(source, line, "")
        return MAX_READINGS.first(found for root in _roots(value) for found in _readings(root, at))


def _readings(root: Mapping[str, object], at: Line) -> Iterator[Reading]:
    if "test_categories" in root or "runtime_error" in root:
        yield from json_readings(root, at)
        return
    tree = tree_of(root, at)
    if tree is not None:
        yield from readings_of("tree", tree)


def _roots(value: object) -> Iterator[Mapping[str, object]]:
    """What dcgmi itself wrote, in ``value``."""
    waiting: deque[tuple[object, int]] = deque([(value, 0)])
    looked_at = 0
    while waiting and _MOST.has_room(looked_at):
        looked_at += 1
        here, depth = waiting.popleft()
        if isinstance(here, Mapping):
            own = _own(here)
            if own is not None:
                yield own
            elif depth < _DEEPEST:
                waiting.extend((each, depth + 1) for each in here.values())
        elif isinstance(here, list) and depth < _DEEPEST:
            waiting.extend((each, depth + 1) for each in here)


def _own(here: Mapping[str, object]) -> Mapping[str, object] | None:
    """What dcgmi wrote, when ``here`` holds it. 4.x puts metadata beside the tests or inside."""
    inner = next((here[key] for key in _DIAG if isinstance(here.get(key), Mapping)), None)
    if isinstance(inner, Mapping):
        return {**{key: here[key] for key in ("metadata",) if key in here}, **inner}
    if isinstance(here.get("test_categories"), list):
        return here
    tree = isinstance(here.get("body"), Mapping) and isinstance(here.get("header"), list)
    return here if tree else None
