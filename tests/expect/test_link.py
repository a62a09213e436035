from __future__ import annotations

import pytest

from slowlink.expect.link import host_copy, nearest_rate, rdma_bandwidth, rdma_bandwidth_warn, rdma_latency


def test_a_healthy_400g_port() -> None:
    expected = rdma_bandwidth(400, "mlx5_0")
    assert expected.value == pytest.approx(392.4)
    assert expected.low == pytest.approx(360)
    assert expected.low < rdma_bandwidth_warn(400) < expected.value
    assert expected.unit == "Gb/s"


def test_both_ways_is_almost_twice() -> None:
    both = rdma_bandwidth(200, "mlx5_0", bidirectional=True)
    assert both.high == 400
    assert both.low < rdma_bandwidth_warn(200, bidirectional=True) < both.value


@pytest.mark.parametrize(
    ("measured", "rate"), [(392.4, 400.0), (400.0, 400.0), (97.0, 100.0), (401.0, 800.0), (9000.0, None)]
)
def test_the_least_rate_that_carries_it(measured: float, rate: float | None) -> None:
    assert nearest_rate(measured) == rate


def test_latency_gate() -> None:
    assert rdma_latency("mlx5_0").high == 5.0


def test_host_copies() -> None:
    expected = host_copy(5, "gpu0")
    assert expected is not None
    assert expected.low < 52 < expected.value < expected.high
    assert host_copy(7, "gpu0") is None
