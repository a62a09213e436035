"""From what the user names (files, directories, archives, ``-``) to texts. Streamed, never stored."""

from __future__ import annotations

from slowlink.inputs.given import Given, open_given
from slowlink.inputs.opened import Input
from slowlink.inputs.walk import open_bytes, open_inputs

__all__ = ["Given", "Input", "open_bytes", "open_given", "open_inputs"]
