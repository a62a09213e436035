"""What is still to be expected where something on the way between nodes is missing: how much a cause can cost."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from slowlink.expect.busbw import Prediction, predict
from slowlink.expect.case import Case
from slowlink.model.expectations import Hindered, Hindrance


def hindered(prediction: Prediction, used_ports: int | None) -> tuple[Hindered, ...]:
    """The expectation of every set of hindrances that may come together; none where one domain holds all ranks.

    ``used_ports``: how many HCAs the node with the fewest uses; None where no log tells.
    """
    if prediction.network_gbs is None:
        return ()
    return tuple(_each(prediction.case, used_ports))


def _each(case: Case, used_ports: int | None) -> Iterator[Hindered]:
    fewer = _with_fewer(case, used_ports)
    ways: list[tuple[set[Hindrance], Case | None]] = [
        ({"gdr"}, replace(case, gdr=False)),
        ({"hcas"}, fewer),
        ({"gdr", "hcas"}, replace(fewer, gdr=False) if fewer is not None else None),
    ]
    for lacking, less in ways:
        found = predict(less) if less is not None else None
        if isinstance(found, Prediction):
            yield Hindered(frozenset(lacking), found.expected)


def _with_fewer(case: Case, used_ports: int | None) -> Case | None:
    """NICs of one kind only: of several kinds nobody knows which are used."""
    if used_ports is None or len(case.hardware.nics) != 1 or used_ports >= case.hardware.nics[0].count:
        return None
    group = replace(case.hardware.nics[0], count=used_ports)
    return replace(case, hardware=replace(case.hardware, nics=(group,)))
