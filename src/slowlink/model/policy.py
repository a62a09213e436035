"""What a site says its nodes must be, and how they stand to it."""

from __future__ import annotations

from msgspec import Struct

from slowlink.model.state import Reading, Value

ALL_PARTS = "*"
COUNT = "count"
"""In the place of an attribute: how many parts of its kind a node has."""


class Expected(Struct, frozen=True):
    """One line of a policy: what an attribute of some parts must be."""

    attribute: str
    """Id in ``catalog/attributes``, or ``count``."""
    kind: str
    """Of the parts, as ``model.state.Part.kind``."""
    parts: str
    """Names of the parts as a set (``mlx5_[0-7]``); ``*``: each that a node has."""
    any_of: tuple[Value, ...] = ()
    """Each is right; empty where bounds tell."""
    at_least: Value | None = None
    at_most: Value | None = None


class Policy(Struct, frozen=True):
    """The expected state of nodes that are alike."""

    path: str
    """Of its file."""
    expected: tuple[Expected, ...]
    collectors: tuple[str, ...] = ()
    """Questions that gave the values, where the file says so."""


class Deviation(Struct, frozen=True):
    """One expectation that some nodes do not meet, all in the same way."""

    expected: Expected
    value: str
    """What they have, in words."""
    nodes: tuple[str, ...]
    parts: tuple[str, ...]
    """Empty for the node itself, and for a count."""
    readings: tuple[Reading, ...]
    """That say so; empty where a part is not there."""


class Unknown(Struct, frozen=True):
    """One expectation of which some nodes tell nothing."""

    expected: Expected
    nodes: tuple[str, ...]


class PolicyReview(Struct, frozen=True):
    """How nodes stand to a policy."""

    policy: Policy
    nodes: tuple[str, ...]
    deviations: tuple[Deviation, ...]
    unknown: tuple[Unknown, ...]
    met: int
    """Expectations that hold on every node."""
