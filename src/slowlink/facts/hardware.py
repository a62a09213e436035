"""What a node of this job is made of, as far as it was given or the input pins it."""

from __future__ import annotations

from slowlink.catalog.infer import infer_hardware
from slowlink.model.facts import Communicators, Hardware, Sweeps
from slowlink.model.records import Records


def hardware(
    records: Records, swept: Sweeps | None, comms: Communicators | None, given: Hardware | None
) -> Hardware | None:
    """None when nothing is known."""
    raise NotImplementedError
