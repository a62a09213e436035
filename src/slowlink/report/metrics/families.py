"""A family of metrics from its rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from slowlink.model.metrics import MetricFamily, MetricSample

Row = tuple[Sequence[str], float | None]
"""Values of the labels, and the number; None where it is not known: then there is no sample, never a zero."""


def family(name: str, help: str, labels: Sequence[str], rows: Iterable[Row], unit: str = "") -> MetricFamily:  # noqa: A002
    """Of rows whose labels are alike the first counts: who reads the numbers would refuse all of them."""
    samples: dict[tuple[tuple[str, str], ...], MetricSample] = {}
    for values, number in rows:
        named = tuple(zip(labels, values, strict=True))
        if number is not None and named not in samples:
            samples[named] = MetricSample(named, number)
    return MetricFamily(name, help, unit, tuple(samples.values()))
