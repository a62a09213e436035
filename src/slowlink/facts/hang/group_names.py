"""How process groups are called in reports."""

from __future__ import annotations

_ENDINGS = ("_PARALLEL_GROUP", "_GROUP")
_UNNAMED = ("", "undefined")


def short_group(description: str) -> str:
    """``EXPERT_MODEL`` for Megatron's ``EXPERT_MODEL_PARALLEL_GROUP``; "" for a group without a name of its own."""
    if description in _UNNAMED:
        return ""
    for ending in _ENDINGS:
        if description.endswith(ending) and len(description) > len(ending):
            return description[: -len(ending)]
    return description
