"""A row that NCCL's own lines tear after the root and again after the first side: both sides are read, each in place."""

from __future__ import annotations

from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

LINE = "0gpu1:640:641 [1] NCCL INFO AllReduce: opCount {0} sendbuff 0x7{0}00 recvbuff 0x8{0}00 count 2097152 datatype 7"
HEADER = """#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""
TORN = (
    f"     8388608       2097152     float     sum      -1{LINE.format(1)[1:]}\n"
    f"{LINE.format(2)[1:]}\n"
    f"    83.89  100.00  100.00      {LINE.format(3)}\n"
    f"{LINE.format(4)[1:]}\n"
    "    81.00  103.56  103.56      0\n"
)


def test_both_sides_are_read() -> None:
    text = (HEADER + TORN).encode()
    (run,) = read(Input("job.log", len(text), [text]) for _ in range(1)).runs
    sides = [(point.placement, point.time_us, point.busbw_gbs, point.wrong) for point in run.points]
    # The first #wrong stuck to the host name: it is not known, and not taken for zero.
    assert sides == [("out_of_place", 83.89, 100.0, None), ("in_place", 81.0, 103.56, 0.0)]


def test_numbers_of_something_else_are_not_taken_into_the_row() -> None:
    text = (HEADER + TORN.replace("83.89  100.00  100.00", "83.89   55.00   55.00")).encode()
    (run,) = read(Input("job.log", len(text), [text]) for _ in range(1)).runs
    assert 55.0 not in [point.busbw_gbs for point in run.points if point.doubt is None]
