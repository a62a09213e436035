"""What a bundle holds of its ladder so far: read and joined by what also reads a finished one."""

from __future__ import annotations

from pathlib import Path

from slowlink.facts.ladder import ladder
from slowlink.inputs import open_given
from slowlink.ladder import layers as of
from slowlink.model.bundle import CAPTURES_NAME, MANIFEST_NAME
from slowlink.model.ladder import Ladder
from slowlink.parsers.reading.read import read
from slowlink.workflows.climb.record import LADDER


def so_far(directory: Path) -> Ladder:
    """Plan and results; without the state of the hosts, which takes longer to read and changes nothing of what is run
    next."""
    captures = directory / CAPTURES_NAME
    paths = [directory / MANIFEST_NAME, *sorted((captures / LADDER).iterdir())]
    for layer in (*(layer.id for layer in of.LAYERS), of.INTERVIEW):
        paths += sorted((captures / layer).rglob("stdout"))
    found = ladder(read(open_given([str(path) for path in paths])), None)
    assert found is not None
    return found
