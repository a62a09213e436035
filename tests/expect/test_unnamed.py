"""What is held against a bound when the log tells the GPU alone."""

from __future__ import annotations

import pytest

from slowlink.expect.assemble import assemble_expectations
from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.model.expectations import Expectations
from slowlink.parsers.reading.read import read
from slowlink.rules.evidence.findings import Proof
from slowlink.rules.measured.busbw_below_expected import check


def expectations(gpu: str, hosts: int, per_node: int, busbw: float) -> Expectations:
    """Of one all-reduce over ``hosts`` nodes that shows ``busbw`` GB/s at 1 and 2 GiB."""
    ranks = hosts * per_node
    lines = ["# nThread 1 nGpus 1 minBytes 1073741824 maxBytes 2147483648 step: 2(factor) iters: 20", "# Using devices"]
    for rank in range(ranks):
        lines.append(
            f"#  Rank {rank} Group  0 Pid {700 + rank} on node{rank // per_node} device {rank % per_node} [0x1b] {gpu}"
        )
    lines.append("#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong")
    algbw = busbw * ranks / (2 * (ranks - 1))
    for size in (1 << 30, 2 << 30):
        cells = f"{size / algbw / 1e3:.1f} {algbw:.2f} {busbw:.2f} 0"
        lines.append(f"  {size}  {size // 4}  float  sum  -1  {cells}  {cells}")
    lines += ["# Out of bounds values : 0 OK", f"# Avg bus bandwidth    : {busbw}", ""]
    text = "\n".join(lines)
    return assemble_expectations(assemble(read([Input("job.log", None, [text.encode()])], workers=1), None))


def said(found: Expectations) -> list[str]:
    judged = ["healthy" if isinstance(item, Proof) else f"{item.cause} {item.severity}" for item in check(found)]
    return judged + ["open: " + ", ".join(unsettled.missing) for unsettled in found.open]


@pytest.mark.parametrize(
    ("gpu", "per_node", "busbw", "verdict"),
    [
        ("NVIDIA A100 80GB PCIe", 2, 205.0, "healthy"),
        ("NVIDIA A100 80GB PCIe", 2, 21.0, "open: bridge"),  # PCIe, or a bridge that carries nothing
        ("NVIDIA A100 80GB PCIe", 2, 4.0, "busbw-below-expected error"),
        ("NVIDIA A10G", 4, 9.8, "healthy"),  # no peer-to-peer on this board
        ("NVIDIA A10G", 4, 7.0, "busbw-below-expected warning"),
        ("NVIDIA A10G", 4, 2.0, "busbw-below-expected error"),
        ("NVIDIA GeForce RTX 3090", 2, 43.0, "healthy"),
        ("Tesla V100-SXM2-32GB", 8, 131.0, "healthy"),  # above NCCL's constant, below the wires
        ("Tesla V100-SXM2-32GB", 8, 170.0, "above-physical-bound warning"),
        ("NVIDIA GB200", 4, 668.0, "healthy"),
    ],
)
def test_one_node(gpu: str, per_node: int, busbw: float, verdict: str) -> None:
    assert said(expectations(gpu, 1, per_node, busbw)) == [verdict]


def test_a_pair_that_may_have_a_bridge() -> None:
    (unsettled,) = expectations("NVIDIA A100 80GB PCIe", 1, 2, 21.0).open
    assert [(p.bridged, round(p.busbw.high, 1)) for p in unsettled.possibilities] == [(True, 274.0), (False, 28.6)]


def test_cards_on_any_ethernet_have_no_least_network() -> None:
    assert said(expectations("Tesla T4", 2, 1, 1.1)) == ["open: nics"]
    assert said(expectations("NVIDIA A100-SXM4-80GB", 2, 8, 1.1)) == ["busbw-below-expected error"]


@pytest.mark.parametrize("busbw", [22.0, 45.0, 90.0, 180.0, 330.0])
def test_nothing_below_the_largest_network_is_healthy_unless_told(busbw: float) -> None:
    assert said(expectations("NVIDIA H100 80GB HBM3", 2, 8, busbw)) == ["open: nics"]


def test_the_largest_network_is_healthy_whatever_it_is() -> None:
    assert said(expectations("NVIDIA H100 80GB HBM3", 2, 8, 480.0)) == ["healthy"]


def test_one_gpu_of_each_node_uses_its_share_of_the_network() -> None:
    """One of eight HCAs belongs to one of eight GPUs: 48 GB/s is all that the largest node gives it."""
    assert said(expectations("NVIDIA H100 80GB HBM3", 3, 1, 48.0)) == ["healthy"]


def test_trays_of_a_rack_joined_by_nvlink() -> None:
    (judged,) = expectations("NVIDIA GB200", 2, 4, 811.0).sweeps
    assert judged.largest
    assert judged.busbw.value == pytest.approx(831, rel=0.01)


def test_the_bound_that_is_named_is_the_least_one_kept() -> None:
    (proof,) = check(expectations("Tesla V100-SXM2-16GB", 2, 8, 45.0))
    assert isinstance(proof, Proof)
    assert "92% of the ring bound of 8 x 100 Gb/s and v100-sxm (49 GB/s)" in proof.message
