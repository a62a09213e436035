"""NCCL_IB_* over a plug-in that does not read them."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

HEAD = "node07:4000:4100 [0] NCCL INFO "
SET = f"{HEAD}NCCL_IB_QPS_PER_CONNECTION set by environment to 4.\n{HEAD}NCCL_IB_DISABLE set by environment to 1.\n"


def using(network: str) -> str:
    return f"{SET}{HEAD}Using network {network}\n"


def test_names_the_variables_and_what_the_plugin_reads() -> None:
    assert said("env-ignored-by-plugin", using("AWS Libfabric")) == snapshot(
        [
            (
                "env-ignored-by-plugin",
                "warning",
                "likely",
                "NCCL_IB_QPS_PER_CONNECTION has no effect: the network is AWS Libfabric, which reads OFI_NCCL_* and FI_*",
            )
        ]
    )
    assert remedies_of("env-ignored-by-plugin", using("AWS Libfabric")) == snapshot(
        [[("Take them out, or set what the plug-in reads.", "unset NCCL_IB_QPS_PER_CONNECTION")]]
    )


def test_silent_where_the_network_reads_them() -> None:
    for network in ("IB", "IBext_v9", "Socket", "SomePlugin"):
        assert findings_of("env-ignored-by-plugin", using(network)) == ()
