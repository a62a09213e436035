"""One GPU that computes more slowly than the others."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import said

RULE = "gpu-throughput-uneven"


def burn(*rates: int) -> str:
    done = " - ".join(f"9 ({rate} Gflop/s)" for rate in rates)
    errors, temps = (" - ".join(word for _ in rates) for word in ("0", "61 C"))
    return f"50.0%  proc'd: {done}   errors: {errors}   temps: {temps}\n"


def test_a_slow_gpu_among_four() -> None:
    assert said(RULE, burn(17600, 17590, 17610, 10200)) == snapshot(
        [("straggler-gpu", "error", "likely", "GPU 3 computes at 10.2 TFLOP/s, the others 17.59")]
    )


def test_a_few_per_cent_two_gpus_and_halves_are_no_odd_one() -> None:
    for rates in ((17600, 16900, 16200, 17100), (17600, 9000), (17600, 17600, 9000, 9000)):
        assert said(RULE, burn(*rates)) == []
