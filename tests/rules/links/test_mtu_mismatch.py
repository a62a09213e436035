from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "mtu-mismatch"


def devinfo(*mtus: int, layer: str = "Ethernet", host: str = "") -> str:
    prompt = f"[root@{host} ~]# ibv_devinfo\n" if host else ""
    return prompt + "".join(
        f"hca_id:\tmlx5_{n}\n\t\tport:\t1\n\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tactive_mtu:\t\t{mtu} (5)\n"
        f"\t\t\tlink_layer:\t\t{layer}\n"
        for n, mtu in enumerate(mtus)
    )


def test_against_other_nodes() -> None:
    nodes = [devinfo(4096, host="gpu01"), devinfo(4096, host="gpu02"), devinfo(1024, host="gpu03")]
    assert said(RULE, *nodes) == snapshot(
        [("mtu-mismatch", "error", "likely", "gpu03: mlx5_0 uses MTU 1024 while most other nodes have 4096")]
    )


def test_within_a_node_is_a_warning() -> None:
    assert said(RULE, devinfo(4096, 4096, 1024)) == snapshot(
        [("mtu-mismatch", "warning", "possible", "mlx5_2 uses MTU 1024 while its siblings on the node have 4096")]
    )


def test_silent_on_other_link_layers_and_equal_ones() -> None:
    mixed = devinfo(1024) + devinfo(4096, 4096, layer="InfiniBand").replace("mlx5_0", "mlx5_8")
    assert findings_of(RULE, mixed) == ()
