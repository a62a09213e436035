"""A change in a series is held beside what else changed there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from history_records import DAY_S, START, report
from slowlink.model.history import RunRecord
from slowlink.model.report import Diagnosis
from slowlink.store import schema
from slowlink.store.connect import Store, open_store
from slowlink.store.write import save
from slowlink.workflows.history.record import Origin, record_of
from slowlink.workflows.history.series import report_of_run, shown_series

CHANGED = 18
SICK = Diagnosis("port-down", "a port is down", "it is", "fabric", "error", "certain")


def night(number: int, hosts: tuple[str, ...] = ("gpu01", "gpu02")) -> RunRecord:
    """From the 18th on 4 % are lost, with another driver, firmware and boot, a port that is down, and NCCL_ALGO set."""
    noise = float(np.random.default_rng(number).standard_normal())
    late = number >= CHANGED
    state = {
        "driver-version": [{"value": "580.9" if late else "570.1", "parts": [""], "nodes": "gpu[01-02]"}],
        "hca-firmware": [{"value": "28.43" if late else "28.39", "parts": ["mlx5_0"], "nodes": "gpu02"}],
        "boot-id": [{"value": str(late), "parts": [""], "nodes": "gpu01"}],
    }
    made = report(
        380 * (1 + 0.01 * noise) * (0.96 if late else 1),
        hosts=hosts,
        launches=3,
        system="hgx_h100",
        node_state=state,
        environment={"NCCL_ALGO": ["Tree"]} if late else {},
    )
    made = replace(made, diagnoses=(SICK,)) if late else made
    return record_of(made, Origin("run", at=START + number * DAY_S, identity=f"{number} {hosts}"), 0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(open_store(str(tmp_path / "h.sqlite"), create=True)) as opened:
        yield opened


def test_a_change_names_what_changed_between_the_runs_beside_it(store: Store) -> None:
    for number in range(30):
        save(store, night(number))
    (shown,), total = shown_series(store, {"collective": "all_reduce"})
    assert (total, len(shown.values), shown.quantity, shown.enough) == (1, 30, "plateau_busbw_gbs", True)
    (tied,) = shown.changes
    assert (tied.outcome, tied.run, tied.change.index) == ("worse", CHANGED + 1, CHANGED)
    (step,) = tied.steps
    assert (step.before_run, step.after_run) == (CHANGED, CHANGED + 1)
    assert {
        "gpu[01-02]: GPU driver: 570.1 -> 580.9",
        "gpu01: rebooted",
        "NCCL_ALGO: not set -> Tree",
        "appeared: a port is down",
    } <= set(step.what)
    assert any("28.39 -> 28.43" in word for word in step.what)


def test_other_nodes_are_another_series_unless_they_are_asked_together(store: Store) -> None:
    for number in range(30):
        save(store, night(number if number < CHANGED else 0, ("gpu01", "gpu02") if number < 12 else ("gpu03", "gpu04")))
    apart, total = shown_series(store, {})
    assert (total, {each.key.nodes for each in apart}) == (2, {"gpu[01-02]", "gpu[03-04]"})
    (together,), total = shown_series(store, {}, across_nodes=True)
    assert (total, together.key.nodes) == (1, "")
    assert {value.nodes for value in together.values} == {"gpu[01-02]", "gpu[03-04]"}


def test_one_size_and_times_are_series_too(store: Store) -> None:
    for number in range(3):
        save(store, night(number))
    (shown,), _ = shown_series(store, {}, size_bytes=1 << 32)
    assert (shown.quantity, shown.unit, len(shown.values), shown.enough) == ("busbw_gbs", "GB/s", 3, False)
    assert shown_series(store, {}, latency=True) == ((), 1)
    (times,), _ = shown_series(store, {}, size_bytes=1 << 32, latency=True)
    assert (times.quantity, times.unit) == ("time_us", "us")
    assert shown_series(store, {}, since=START + DAY_S)[0][0].values[0].run_id == 2
    assert shown_series(store, {"collective": "alltoall"}) == ((), 0)


def test_a_document_that_cannot_be_read_is_no_document(store: Store) -> None:
    run = save(store, night(1)).run_id
    assert report_of_run(store, run) is not None
    with store.writing() as connection:
        connection.execute(schema.reports.update().values(document=b"no zstd"))
    assert report_of_run(store, run) is None
    assert report_of_run(store, 99) is None
