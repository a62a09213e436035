"""Words of a manifest that may stand in the YAML that is advised: people paste it into manifests of their own.

What is not what it is said to be (a name, a label, a quantity) is shown by the finding; a word in capitals stands for
it in the fix, so that no line break or quote in it becomes a line of YAML.
"""

from __future__ import annotations

import re

from slowlink.lint.spot import Spot

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?")
_KEY = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9.-]{0,252}/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_LABEL = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")


def as_name(text: str) -> str:
    """The name of an object (RFC 1123), or ``NAME``."""
    return text if _NAME.fullmatch(text) else "NAME"


def as_key(text: str) -> str:
    """The key of a label or of a resource (``nvidia.com/gpu``), or ``KEY``."""
    return text if _KEY.fullmatch(text) else "KEY"


def as_label(text: str) -> str:
    """The value of a label, to be put into quotes, or ``VALUE``."""
    return text if _LABEL.fullmatch(text) else "VALUE"


def as_quantity(spot: Spot) -> str:
    """``8``, ``500m``, ``64Gi``, or ``QUANTITY``."""
    return spot.text if spot.quantity is not None else "QUANTITY"
