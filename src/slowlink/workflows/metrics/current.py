"""The metrics of a history as it is at this moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from slowlink import __version__
from slowlink.errors import SlowlinkError
from slowlink.model.metrics import HistoryNow, MetricFamily
from slowlink.report.metrics.history import history_families
from slowlink.store.connect import Store, open_store
from slowlink.store.newest import KeptSoFar, kept_so_far, newest_runs, newest_values
from slowlink.workflows.metrics.baselines import Comparisons


class CurrentMetrics:
    """Asks the history at ``place`` whenever it is asked. For any number of threads: one of them reads at a time.

    The store is opened anew each time: one that was moved away or made anew is then seen as it is. Where nothing was
    kept since the last time, what was read then still holds.
    """

    def __init__(self, place: str, most: int, tell: Callable[[str], None]) -> None:
        self._place = place
        self._most = most
        self._tell = tell
        self._lock = threading.Lock()
        self._comparisons = Comparisons()
        self._read: tuple[KeptSoFar, HistoryNow] | None = None
        self._trouble = ""

    def families(self) -> tuple[tuple[MetricFamily, ...], bool]:
        """All metrics, and whether the history could be read; why not is told once."""
        with self._lock:
            began = time.monotonic()
            try:
                now = self._now()
                self._trouble = ""
            except SlowlinkError as error:
                now = None
                if error.message != self._trouble:
                    self._tell(f"slowlink: {error.message}")
                self._trouble = error.message
            return history_families(now, __version__, time.monotonic() - began), now is not None

    def _now(self) -> HistoryNow:
        store = open_store(self._place, create=False)
        try:
            kept = kept_so_far(store)
            if self._read is None or self._read[0] != kept:
                self._read = (kept, self._asked(store, kept.runs))
            return self._read[1]
        finally:
            store.close()

    def _asked(self, store: Store, count: int) -> HistoryNow:
        runs, all_runs = newest_runs(store, self._most)
        series, all_series = newest_values(store, self._most)
        baselines, all_baselines = self._comparisons.now(store, self._most)
        left_out = (
            ("runs", all_runs - len(runs)),
            ("series", all_series - len(series)),
            ("baselines", all_baselines - len(baselines)),
        )
        return HistoryNow(count, runs, series, baselines, left_out)
