"""The lines of one host say nothing of how many nodes a job has."""

from __future__ import annotations

import pytest

from slowlink.facts.assemble import assemble
from slowlink.facts.summary.summarise import summarise
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

PART = "node2:101:120 [0] NCCL INFO NET/IB : No device found.\nnode2:101:120 [0] NCCL INFO Using network Socket\n"
WHOLE = (
    "node2:101:120 [0] NCCL INFO comm 0x1 rank 0 nranks 1 cudaDev 0 nvmlDev 0 busId 1b000 commId 0x7 - Init COMPLETE\n"
)


@pytest.mark.parametrize(("text", "nnodes"), [(PART, None), (WHOLE, 1)], ids=["one host of many, or not", "all ranks"])
def test_nodes_are_counted_where_all_ranks_are_seen(text: str, nnodes: int | None) -> None:
    records = read([Input("job.log", None, [text.encode()])], workers=1)
    values = summarise(records, assemble(records))
    assert (values["hosts"], values.get("nnodes")) == (["node2"], nnodes)
