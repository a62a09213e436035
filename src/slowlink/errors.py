"""The one error that users see. A bug keeps its own traceback."""

from __future__ import annotations


class SlowlinkError(Exception):
    """Something the user can mend: what happened and where, and in ``hint`` what to try.

    ``slug`` is a stable id (``input-not-found``) that documentation and scripts can refer to.
    """

    def __init__(self, message: str, *, hint: str = "", slug: str = "error") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.slug = slug
