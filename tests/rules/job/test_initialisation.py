"""initialisation: a proof only when every rank came up and no edge takes a detour."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from slowlink.facts.assemble import assemble
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.rules.evidence.findings import Proof
from slowlink.rules.job.initialisation import check
from slowlink.simulate.nccl_log_output import LoggedCluster, nccl_log

HEALTHY = LoggedCluster(version="2.24.3")


def _proofs(cluster: LoggedCluster) -> list[Proof]:
    text = nccl_log(cluster).encode()
    facts = assemble(read([Input("job.log", len(text), [text])]))
    assert facts.communicators is not None
    assert facts.transports is not None
    return list(check(facts.communicators, facts.transports))


def test_a_clean_start_is_a_proof() -> None:
    (proof,) = _proofs(HEALTHY)
    assert proof.message == (
        "all 16 ranks came up and talk peer to peer and over RDMA with GPUDirect between nodes, which says nothing about bandwidth"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"lost_ranks": frozenset({3})},
        {"gdr": False},
        {"network": "Socket"},
        {"intra": "SHM/direct/direct"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_anything_less_is_none(change: dict[str, object]) -> None:
    assert _proofs(replace(HEALTHY, **change)) == []
