"""nccl-tests, rccl-tests and MetaX' tests: text tables of every version, and nccl-tests' JSON."""

from __future__ import annotations

from slowlink.parsers.benchmarks.nccl_tests.json_output import DOCUMENT
from slowlink.parsers.benchmarks.nccl_tests.table import PARSER

__all__ = ["DOCUMENT", "PARSER"]
