"""rdma -j: ports and HCAs as JSON."""

from __future__ import annotations

import hca_texts
from hca_reading import said
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.parsers.rdma.rdma_json import RdmaJson

_KEYS = st.sampled_from(["ifname", "ifindex", "port", "netdev", "state", "node_guid", "node_type", "fw", "lid"])
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS | st.text(max_size=6), inner, max_size=6),
    max_leaves=20,
)


def test_rdma_json() -> None:
    assert said(hca_texts.RDMA_JSON) == snapshot(
        [
            "port-link-layer mlx5_0/1 = Ethernet",
            "port-state mlx5_0/1 = Active",
            "port-physical-state mlx5_0/1 = LinkUp",
            "port-netdev mlx5_0/1 = ens1np0",
            "port-state mlx5_1/1 = Down",
            "port-physical-state mlx5_1/1 = Polling",
            "rdma-rx-write-requests mlx5_1/1 = 9",
        ]
    )


def test_an_hca_of_rdma_dev() -> None:
    text = (
        '[{"ifindex":3,"ifname":"mlx5_3","node_type":"ca","fw":"28.43.2026","node_guid":"a088:c203:00aa:0013",'
        '"sys_image_guid":"0000:0000:0000:0000"}]\n'
    )
    assert said(text) == snapshot(["hca-firmware mlx5_3 = 28.43.2026", "hca-node-guid mlx5_3 = a088c20300aa0013"])


def test_an_infiniband_port_by_its_lids() -> None:
    text = '[{"ifname":"mlx5_0","port":1,"subnet_prefix":"fe80:0000:0000:0000","lid":17,"sm_lid":3,"state":"INIT"}]\n'
    assert said(text) == snapshot(
        [
            "port-link-layer mlx5_0/1 = InfiniBand",
            "port-lid mlx5_0/1 = 17",
            "port-sm-lid mlx5_0/1 = 3",
            "port-state mlx5_0/1 = Init",
        ]
    )


def test_values_of_other_types_say_nothing() -> None:
    text = '[{"ifname":"mlx5_0","port":"1","state":["ACTIVE"]},{"ifname":7,"port":1,"state":"DOWN"}]\n'
    assert said(text) == []


def test_a_document_that_is_cut_keeps_what_was_complete() -> None:
    text = hca_texts.RDMA_JSON
    assert said(text[: text.index("LINK_UP") + 3]) == snapshot(["port-state mlx5_0/1 = Active"])


@given(_JSON)
def test_any_json_gives_a_result(value: object) -> None:
    assert RdmaJson.wants_document(value) in (True, False)
    assert all(r.ref.line == 7 for r in RdmaJson().read(value, "t", 7))
