"""Lines of Prometheus' text format: ``name{label="value",...} number``, and the comments between them.

Source: the exposition format 0.0.4 and OpenMetrics 1.0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from msgspec import Struct

from slowlink.patterns import regex

_SAMPLE = regex(
    r"\s{0,8}(?P<name>[a-zA-Z_:][\w:]{1,150})(?:\{(?P<labels>[^{}]{0,2000})\})?\s{1,20}"
    r"(?P<value>[-+]?\d[\d.eE+-]{0,40})(?:\s\d{1,20}(?:\.\d{1,9})?)?\s{0,8}"
)
_COMMENT = regex(r"\s{0,8}# (?:HELP|TYPE|UNIT) (?P<name>[a-zA-Z_:][\w:]{1,150})(?: .{0,1000})?")
_LABEL = regex(r'(\w{1,60})="([^"]{0,300})"')
_HOSTS = ("hostname", "Hostname", "nodename", "host", "node", "instance")
"""Labels that name the node, the surest first; a scrape adds ``instance``, with the exporter's port."""
_PORT = regex(r":\d{1,5}$")
_ADDRESS = regex(r"(?:\d{1,3}\.){3}\d{1,3}|localhost|\[.{0,60}\]")


class Sample(Struct, frozen=True):
    """One sample."""

    name: str
    labels: Mapping[str, str]
    value: float

    @property
    def host(self) -> str | None:
        """The node that its labels name; None where they give nothing, or an address alone."""
        told = next((self.labels[label] for label in _HOSTS if self.labels.get(label)), "")
        plain = _PORT.sub("", told)
        return plain if plain and _ADDRESS.fullmatch(plain) is None else None

    @property
    def count(self) -> int | None:
        """The value of a counter; Prometheus prints large ones with an exponent. None for one below zero."""
        return int(self.value) if self.value >= 0 else None


def sample_in(text: str) -> Sample | None:
    """The sample of a line; None for any other line, and for values that are no finite numbers."""
    found = _SAMPLE.fullmatch(text)
    if found is None:
        return None
    try:
        value = float(found["value"])
    except ValueError:
        return None
    return Sample(found["name"], dict(_LABEL.findall(found["labels"] or "")), value) if math.isfinite(value) else None


def metric_of_comment(text: str) -> str | None:
    """The metric that a ``# HELP`` or ``# TYPE`` line is about."""
    found = _COMMENT.fullmatch(text)
    return found["name"] if found is not None else None
