"""A history and a node in which something is wrong of every kind that Prometheus is told."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from history_records import KEY, record
from slowlink.model.metrics import MetricFamily
from slowlink.report.metrics.node_check import node_check_families
from slowlink.store.baselines import put_baseline
from slowlink.store.connect import open_store
from slowlink.store.write import save
from slowlink.workflows.analyze import analyze

HOUR_S = 3600.0
ODD = 'gpu"{}\\\n\x1b[31m\u202e' + "x" * 200


def kept_history(folder: Path) -> Path:
    """The newest run is degraded, below what is expected and worse than the baseline; one is broken on nodes with an
    odd name, one inconclusive, and one four days old."""
    now, place = time.time(), folder / "h.sqlite"
    with closing(open_store(str(place), create=True)) as store:
        usual = [replace(record(number, 350.0 + number % 3), at=now - 30 * HOUR_S + number) for number in range(8)]
        put_baseline(store, "handover", [save(store, each).run_id for each in usual], "")
        save(store, replace(record(8, 300.0), at=now - HOUR_S, verdict="degraded"))
        save(store, replace(record(9, key=replace(KEY, nodes=ODD)), at=now - HOUR_S, verdict="broken"))
        save(store, replace(record(10), at=now - HOUR_S, command="check", verdict="inconclusive", sweeps=()))
        save(store, replace(record(11, key=replace(KEY, nodes="gpu[05-08]")), at=now - 96 * HOUR_S))
    return place


def sick_node() -> tuple[MetricFamily, ...]:
    """What its file says."""
    line = b"Nov 28 10:00:00 gpu01 kernel: NVRM: Xid (PCI:0000:1b:00): 79, pid=1, name=a, GPU has fallen off the bus.\n"
    report = analyze(line)
    assert report.verdict == "broken"
    return node_check_families(report, 1, at=time.time(), took_s=1.5)
