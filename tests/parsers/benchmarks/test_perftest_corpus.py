"""The labelled corpus: link benchmarks and summaries of pairs, found by the whole reader as the labels say."""

from __future__ import annotations

import pytest
from labelled_corpus import NEEDS_CORPUS, records_of

pytestmark = NEEDS_CORPUS


@pytest.mark.parametrize(
    "name, rows, size, average",
    [
        ("aks-ib-write-bw.txt", 23, 8388608, 196.55),
        ("deepops-roce-write-bw.txt", 1, 65536, 92.40),
        ("dgx-spark-ib-write-bw-a.txt", 5, 65536, 92.57),
        ("oci-ib-write-bw.txt", 1, 65536, 98.01),
        ("superbench-ib-loopback-all-sizes.txt", 23, 8388608, 194.957),
        ("write-bw-2byte-first-row.txt", 7, 128, 8.96),
        ("write-bw-4qp-spark.txt", 1, 65536, 111.71),
    ],
)
def test_bandwidth(name: str, rows: int, size: int, average: float) -> None:
    (run,) = records_of(f"perftest/{name}").perftests
    assert len(run.rows) == rows
    assert run.rows[-1].size_bytes == size
    assert run.rows[-1].bw_average_gbit == pytest.approx(average, abs=0.001)
    assert not [row.doubt for row in run.rows if row.doubt]


@pytest.mark.parametrize(
    "name, minimum, typical, average",
    [("aks-ib-read-lat.txt", 5.35, 5.49, 5.5), ("homelab-fragment-b.txt", None, None, 0.85)],
)
def test_latency(name: str, minimum: float | None, typical: float | None, average: float) -> None:
    (run,) = records_of(f"perftest/{name}").perftests
    (row,) = run.rows
    assert (row.t_min_us, row.t_typical_us, row.t_avg_us) == (minimum, typical, average)


def test_pair_summary() -> None:
    facts = records_of("mixed/pairwise-cluster00-failures-summary.txt").observations
    pairs = [fact for fact in facts if fact.kind == "failed-pair"]
    assert len(pairs) == 18
    assert sum("cnode2-003" in (fact.subject, fact.value) for fact in pairs) == 8
