"""Which of a report's many facts a reader wants to see at once."""

from __future__ import annotations

from collections.abc import Mapping

from slowlink.report.wording import plain_value

PROOFS = "proofs"
"""What was shown to be right, in sentences."""
_NO_ENTRIES = (PROOFS, "node_state")
"""Facts that are no table entries: they have sections of their own, or are for scripts alone."""
_KEY_FACTS = (
    "nccl",
    "rccl",
    "mccl",
    "cuda",
    "nranks",
    "nnodes",
    "gpus_per_node",
    "hosts",
    "gpu",
    "system",
    "hardware_basis",
    "network",
    "transport",
    "gdr",
    "hcas",
    "channels",
    "nvls_channels",
    "plugins",
    "environment",
)
_MAX_PROOFS = 8

Facts = tuple[tuple[str, str], ...]


def split_facts(facts: Mapping[str, object]) -> tuple[Facts, Facts]:
    """(facts to show at once, all others), as names and texts. What is empty or None is not shown at once."""
    key = [name for name in _KEY_FACTS if name in facts and facts[name] not in (None, "", [], (), {})]
    rest = [name for name in facts if name not in key and name not in _NO_ENTRIES]
    return _texts(facts, key), _texts(facts, rest)


def _texts(facts: Mapping[str, object], names: list[str]) -> Facts:
    return tuple((name, plain_value(facts[name]) or "none") for name in names)


def proofs(facts: Mapping[str, object]) -> tuple[str, ...]:
    """The sentences that say what was shown to be right; at most eight."""
    found = facts.get(PROOFS)
    return tuple(str(item) for item in found[:_MAX_PROOFS]) if isinstance(found, (list, tuple)) else ()
