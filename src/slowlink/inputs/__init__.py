"""From what the user names (files, directories, archives, ``-``) to texts. Streamed, never stored."""

from __future__ import annotations

from slowlink.inputs.opened import Input
from slowlink.inputs.walk import open_bytes, open_inputs

__all__ = ["Input", "open_bytes", "open_inputs"]
