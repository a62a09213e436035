"""Files of peer-memory clients that do not exist, on nodes that need them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from slowlink.facts.dma_buf import DmaBuf
from slowlink.facts.readings import name_of_node
from slowlink.model.facts import Readings
from slowlink.model.job import Observation


def missing_files(seen: Sequence[Observation], clients: Readings | None, kernels: Readings | None) -> list[Observation]:
    """Observations of missing files on nodes that DMA-BUF does not serve, each with its node: an observation does not
    always name it, but a reading of the same line does."""
    places = {(r.ref.source, r.ref.line): r for r in (clients.all if clients is not None else ())}
    dma_buf = DmaBuf(kernels.all if kernels is not None else ())
    found = []
    for each in seen:
        reading = places.get((each.ref.source, each.ref.line))
        if reading is not None and dma_buf.serves(reading.host) is True:
            continue
        name = name_of_node(reading) if reading is not None else None
        found.append(each if each.host or name is None else replace(each, host=name))
    return found
