"""Where edges are kept: in machine code where it was built, else in Python; what one says the other understands."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from slowlink.parsers.nccl.nccl_log.edge_rows import EdgeRows, RowsState
from slowlink.parsers.nccl.nccl_log.native_rows import NativeRows

FORM = 9
"""Of what machine code tells: another number with every change of it, as in ``native/src/lib.rs``."""

native: Any
try:
    native = import_module("slowlink.slowlink_native")
except ImportError:  # not built: there was no compiler
    native = None
if getattr(native, "FORM", 1) != FORM:  # built from other sources than these
    native = None

WITHOUT = "SLOWLINK_WITHOUT_NATIVE"
"""A variable: where it is set, all is read by Python."""

Rows = EdgeRows | NativeRows


def new_rows() -> Rows:
    """With nothing in them."""
    return EdgeRows() if native is None or os.environ.get(WITHOUT) else NativeRows(native)


def rows_of(state: RowsState) -> Rows:
    """What was sent."""
    rows = new_rows()
    rows.merge(state, len(state.firsts))
    return rows
