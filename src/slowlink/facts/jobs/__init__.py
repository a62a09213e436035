"""A heap of logs split into the jobs that it holds: a cause explains symptoms of its own job only."""

from __future__ import annotations

from slowlink.facts.jobs.model import JobRecords
from slowlink.facts.jobs.split import split

__all__ = ["JobRecords", "split"]
