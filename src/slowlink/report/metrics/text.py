"""The text format of Prometheus (version 0.0.4), for files: node_exporter's textfile collector reads no other.

The exporter leaves this to the official library. A node is checked without it: to load it takes a tenth of the second
that a check may cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from slowlink.model.metrics import MetricFamily


def metrics_text(families: Iterable[MetricFamily]) -> str:
    """Families without a sample are left out, with their help."""
    return "".join(line for family in families if family.samples for line in _lines(family))


def _lines(family: MetricFamily) -> Iterator[str]:
    yield f"# HELP {family.name} {_escaped(family.help)}\n"
    yield f"# TYPE {family.name} gauge\n"
    for sample in family.samples:
        labels = ",".join(f'{name}="{_quoted(value)}"' for name, value in sample.labels)
        yield f"{family.name}{{{labels}}} {sample.value!r}\n" if labels else f"{family.name} {sample.value!r}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(text: str) -> str:
    return _escaped(text).replace('"', '\\"')
