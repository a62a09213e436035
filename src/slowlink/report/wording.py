"""The words and number formats that every report shares."""

from __future__ import annotations

import math
from collections.abc import Mapping

from slowlink.model.report import Expectation, Suspect
from slowlink.report.folding import fold_names
from slowlink.units import format_size

VERDICTS: Mapping[str, str] = {
    "healthy": "HEALTHY",
    "degraded": "DEGRADED",
    "broken": "BROKEN",
    "inconclusive": "INCONCLUSIVE",
}
CONFIDENCES: Mapping[str, str] = {
    "certain": "certain: the lines below prove it",
    "likely": "likely: the lines below point to it, other causes are not excluded",
    "possible": "possible: confirm it before you act",
}
LAYERS: Mapping[str, str] = {
    "host": "host",
    "fabric": "fabric",
    "gpu-net": "between GPU and network",
    "node": "inside the node",
    "cluster": "across the cluster",
    "application": "application",
    "config": "configuration",
    "launch": "launch",
    "measure": "measurement",
}
_PLURAL = {"process": "processes", "copy": "copies"}
_FACT_LIMIT = 200
_MAX_RULES = 4


def number(value: float | None) -> str:
    """9.38 -> ``9.4``, 36.0 -> ``36``, 388.43 -> ``388``, 0.0512 -> ``0.051``; ``-`` when there is none."""
    if value is None or not math.isfinite(value):
        return "-"
    size = abs(value)
    if size >= 99.95 or value == 0:
        return f"{value:.0f}"
    return f"{value:.1f}".removesuffix(".0") if size >= 1 else f"{value:.2g}"


def count(value: int, noun: str) -> str:
    """``1 line``, ``12 lines``."""
    return f"{value:,} {noun}" if value == 1 else f"{value:,} {_PLURAL.get(noun, noun + 's')}"


def band(expectation: Expectation) -> str:
    """``36-40``: the healthy range, or the one value where both ends look alike."""
    low, high = number(expectation.low), number(expectation.high)
    return low if low == high else f"{low}-{high}"


def size_range(sizes: list[int]) -> str:
    """``8 B - 8 GiB``."""
    if not sizes:
        return "-"
    low, high = format_size(min(sizes)), format_size(max(sizes))
    return low if low == high else f"{low} - {high}"


def duration(time_us: float) -> str:
    """Microseconds in the unit that a reader would choose: ``12.5 us``, ``3.4 ms``, ``1.2 s``."""
    for limit, scale, unit in ((1e3, 1.0, "us"), (1e6, 1e3, "ms")):
        if abs(time_us) < limit:
            return f"{number(time_us / scale)} {unit}"
    return f"{number(time_us / 1e6)} s"


def where(suspects: tuple[Suspect, ...]) -> str:
    """``nodes node[05-07]; hca mlx5_3``: suspects by kind, folded. "" when nobody is named."""
    kinds: dict[str, dict[str, None]] = {}  # dicts for sets in order: a fabric may name all of its ports
    for suspect in suspects:
        kinds.setdefault(suspect.kind, {})[suspect.name] = None
    parts = []
    for kind, names in kinds.items():
        noun = kind if len(names) == 1 else _PLURAL.get(kind, kind + "s")
        parts.append(f"{noun} {fold_names(names)}")
    return "; ".join(parts)


def some_rules(rules: tuple[str, ...]) -> str:
    """``gdr-disabled, port-down``; of more than four the first three and how many more."""
    if len(rules) <= _MAX_RULES:
        return ", ".join(rules)
    return f"{', '.join(rules[: _MAX_RULES - 1])} and {len(rules) - _MAX_RULES + 1} more"


def found_by(cause: str, rules: tuple[str, ...]) -> str:
    """``found by port-rate-differs``: the rules of a cause; "" for the one of its name, or where none is known."""
    if rules in ((), (cause,)):
        return ""
    if len(rules) > _MAX_RULES or len(rules) == 1:
        return f"found by {some_rules(rules)}"
    return f"found by {', '.join(rules[:-1])} and {rules[-1]}"


def plain_value(value: object) -> str:
    """A fact's value in one line; names are folded, long values cut."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping):
        text = ", ".join(f"{key}={plain_value(item)}" for key, item in value.items())
    elif isinstance(value, (list, tuple, set, frozenset)):
        items = sorted(value, key=str) if isinstance(value, (set, frozenset)) else value
        text = fold_names(plain_value(item) for item in items)
    else:
        text = str(value)
    return text if len(text) <= _FACT_LIMIT else text[: _FACT_LIMIT - 4] + " ..."
