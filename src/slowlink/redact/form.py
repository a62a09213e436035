"""One known form of a secret."""

from __future__ import annotations

from typing import NamedTuple


class Form(NamedTuple):
    """One form."""

    issuer: str
    marks: tuple[str, ...]
    """In small letters; one of them is in each text of this form. None where its run of characters is mark enough."""
    pattern: str
    source: str
    """Where the form is documented."""
