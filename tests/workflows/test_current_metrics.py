"""The metrics of a history from one moment to the next, and the file for node_exporter."""

from __future__ import annotations

import errno
import os
from contextlib import closing
from pathlib import Path
from stat import S_IMODE

import pytest
from msgspec.structs import replace

from history_records import KEY, record, sweep
from slowlink.errors import SlowlinkError
from slowlink.model.history import RunRecord
from slowlink.model.metrics import MetricFamily
from slowlink.report.metrics.families import family
from slowlink.store.baselines import pin_baseline, put_baseline
from slowlink.store.connect import open_store
from slowlink.store.write import save
from slowlink.workflows.metrics import current
from slowlink.workflows.metrics.current import CurrentMetrics
from slowlink.workflows.metrics.textfile import require_textfile, write_textfile

FAMILIES = (family("slowlink_x", "Anything.", ("nodes",), [(("gpu01",), 1.0)]),)


def keep(place: Path, *records: RunRecord, baseline: str = "") -> None:
    with closing(open_store(str(place), create=True)) as store:
        runs = [save(store, each).run_id for each in records]
        if baseline:
            put_baseline(store, baseline, runs, "")


def values(families: tuple[MetricFamily, ...], name: str, **labels: str) -> list[float]:
    """Of the samples with these labels."""
    samples = [sample for each in families if each.name == name for sample in each.samples]
    return [each.value for each in samples if labels.items() <= dict(each.labels).items()]


def outcome(families: tuple[MetricFamily, ...], **labels: str) -> list[str]:
    found = [each for each in families if each.name == "slowlink_baseline_outcome"]
    told = [dict(sample.labels) for each in found for sample in each.samples if sample.value]
    return [each["outcome"] for each in told if labels.items() <= each.items()]


def test_what_is_newer_is_told_at_the_next_time(tmp_path: Path) -> None:
    place, told = tmp_path / "h.sqlite", list[str]()
    metrics = CurrentMetrics(str(place), 10, told.append)
    families, readable = metrics.families()
    assert (readable, values(families, "slowlink_history_readable")) == (False, [0.0])
    assert not place.exists()
    metrics.families()
    assert [words.partition(":")[0] for words in told] == ["slowlink"]  # once, not at each time
    keep(place, record(1))
    assert values(metrics.families()[0], "slowlink_series_bus_bandwidth_bytes_per_second") == [350e9]
    keep(place, record(2, 300.0))
    families, readable = metrics.families()
    assert (readable, values(families, "slowlink_series_bus_bandwidth_bytes_per_second")) == (True, [300e9])
    assert values(families, "slowlink_history_runs") == [2.0]


def test_where_nothing_is_new_nothing_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "h.sqlite"
    keep(place, record(1))
    metrics = CurrentMetrics(str(place), 10, print)
    before = metrics.families()[0]
    monkeypatch.setattr(current, "newest_runs", None)
    again = metrics.families()[0]
    assert [each for each in again if each.name != "slowlink_history_read_seconds"] == [
        each for each in before if each.name != "slowlink_history_read_seconds"
    ]


def test_a_history_that_was_made_anew_is_seen(tmp_path: Path) -> None:
    """With as many runs of the same content, and other verdicts: rules of another day."""
    place, other = tmp_path / "h.sqlite", tmp_path / "other.sqlite"
    keep(place, record(1))
    keep(other, replace(record(1), verdict="broken"))
    metrics = CurrentMetrics(str(place), 10, print)
    assert values(metrics.families()[0], "slowlink_run_verdict", verdict="broken") == [0.0]
    for name in ("h.sqlite-wal", "h.sqlite-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    other.replace(place)
    assert values(metrics.families()[0], "slowlink_run_verdict", verdict="broken") == [1.0]


def test_what_is_too_much_is_counted(tmp_path: Path) -> None:
    place = tmp_path / "h.sqlite"
    keep(place, *(record(number, key=replace(KEY, nodes=f"gpu{number}")) for number in range(5)), baseline="all")
    families, _ = CurrentMetrics(str(place), 2, print).families()
    assert [values(families, "slowlink_history_left_out", what=what) for what in ("runs", "series", "baselines")] == [
        [3.0]
    ] * 3
    assert values(families, "slowlink_series_runs", nodes="gpu4") == [1.0]
    assert values(families, "slowlink_series_runs", nodes="gpu2") == []


def test_the_newest_run_beside_the_baseline_that_counts(tmp_path: Path) -> None:
    place = tmp_path / "h.sqlite"
    keep(place, *(record(number, 350.0 + number % 3) for number in range(10)), baseline="handover")
    metrics = CurrentMetrics(str(place), 10, print)
    assert outcome(metrics.families()[0]) == ["unmeasured"]
    keep(place, record(20, 300.0))
    families, _ = metrics.families()
    assert outcome(families, baseline="handover") == ["worse"]
    assert values(families, "slowlink_baseline_gain_ratio") == [pytest.approx(0.855, abs=0.001)]
    keep(place, record(21, 350.5))
    assert outcome(metrics.families()[0]) == ["same"]
    keep(place, *(record(30 + number, 300.0 + number % 3) for number in range(10)), baseline="handover")
    families, _ = metrics.families()
    assert (outcome(families), values(families, "slowlink_baseline_version")) == (["unmeasured"], [2.0])
    with closing(open_store(str(place), create=False)) as store:
        pin_baseline(store, "handover", 1)
    families, _ = metrics.families()
    assert (outcome(families), values(families, "slowlink_baseline_version")) == (["worse"], [1.0])


def test_a_broken_run_is_not_as_good_as_its_baseline(tmp_path: Path) -> None:
    """Its other tables may be fine, and its verdict counts."""
    place = tmp_path / "h.sqlite"
    keep(place, *(record(number, 350.0 + number % 3) for number in range(10)), baseline="handover")
    keep(place, replace(record(20, 351.0), verdict="broken"))
    assert outcome(CurrentMetrics(str(place), 10, print).families()[0]) == ["broken"]


def test_a_run_is_judged_for_its_own_series_alone(tmp_path: Path) -> None:
    place = tmp_path / "h.sqlite"
    other = replace(KEY, collective="alltoall")

    def both(number: int, first: float, second: float) -> RunRecord:
        return replace(record(number), sweeps=(sweep(first), sweep(second, other)))

    keep(place, *(both(number, 350.0 + number % 3, 50.0 + number % 3) for number in range(10)), baseline="handover")
    keep(place, both(20, 350.0, 30.0))
    families, _ = CurrentMetrics(str(place), 10, print).families()
    assert outcome(families, collective="all_reduce") == ["same"]
    assert outcome(families, collective="alltoall") == ["worse"]


def test_a_file_is_for_who_collects_whatever_the_umask(tmp_path: Path) -> None:
    place = tmp_path / "slowlink.prom"
    place.symlink_to(tmp_path / "elsewhere")
    before = os.umask(0o077)
    try:
        write_textfile(place, FAMILIES)
    finally:
        os.umask(before)
    assert place.read_text() == (
        '# HELP slowlink_x Anything.\n# TYPE slowlink_x gauge\nslowlink_x{nodes="gpu01"} 1.0\n'
    )
    assert (S_IMODE(place.lstat().st_mode), place.is_symlink()) == (0o644, False)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["slowlink.prom"]


def test_a_full_disk_keeps_the_file_of_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "slowlink.prom"
    write_textfile(place, FAMILIES)
    before = place.read_text()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SlowlinkError) as raised:
        write_textfile(place, ())
    assert raised.value.slug == "textfile-unwritten"
    assert place.read_text() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["slowlink.prom"]


@pytest.mark.parametrize(("name", "why"), [("x.txt", "must end with .prom"), ("none/x.prom", "there is no directory")])
def test_a_file_that_nobody_would_collect_is_refused(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(SlowlinkError, match=why):
        require_textfile(tmp_path / name)


def test_a_directory_or_a_pipe_is_no_textfile(tmp_path: Path) -> None:
    (tmp_path / "a.prom").mkdir()
    os.mkfifo(tmp_path / "b.prom")
    for name in ("a.prom", "b.prom"):
        with pytest.raises(SlowlinkError, match="no regular file"):
            require_textfile(tmp_path / name)
