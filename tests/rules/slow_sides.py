"""Tables of nccl-tests in which in-place is slower than out-of-place."""

from __future__ import annotations


def with_slow_side(text: str, size: int, share: float) -> str:
    """In-place reaches ``share`` of out-of-place at ``size`` bytes."""
    row = next(line for line in text.splitlines() if line.startswith(f"{size:12d} "))
    head, cells = row, row.split()
    tail = ""
    for cell, factor in ((11, share), (10, share), (9, 1 / share)):
        at = head.rindex(cells[cell])
        tail = f"{float(cells[cell]) * factor:.2f}{head[at + len(cells[cell]) :]}{tail}"
        head = head[:at]
    return text.replace(row, head + tail)
