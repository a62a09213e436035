"""RDMA tools on a host: every form gives readings in one spelling, and next to no line stays unread."""

from __future__ import annotations

import pytest
import rdma_texts
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.inputs import Input
from slowlink.model.records import Records
from slowlink.parsers.network.ip_json import IpJson
from slowlink.parsers.rdma.rdma_json import RdmaJson
from slowlink.parsers.reading.read import read

TEXTS = list(rdma_texts.ALL.values())


def records(text: str) -> Records:
    return read([Input("t", None, [text.encode()])], workers=1)


def said(text: str) -> list[str]:
    """``attribute part = value`` of every reading, with the node where one is told."""
    return [
        f"{r.attribute} {r.part.name} = {r.value}{f' @{r.host}' if r.host else ''}".replace("  ", " ")
        for r in records(text).readings
    ]


@pytest.mark.parametrize("name", sorted(rdma_texts.ALL))
def test_next_to_no_line_stays_unread(name: str) -> None:
    (source,) = records(rdma_texts.ALL[name]).sources
    assert [ref.text for ref in source.unread_samples if not ref.text.startswith("#")] == []


def test_ip_link() -> None:
    assert said(rdma_texts.IP_LINK) == snapshot(
        [
            "interface-admin-up ens1np0 = True",
            "interface-carrier ens1np0 = True",
            "interface-mtu ens1np0 = 9000",
            "interface-bond ens1np0 = bond0",
            "interface-state ens1np0 = up",
            "interface-kind ens1np0 = ether",
            "interface-address ens1np0 = a0:88:c2:11:22:33",
            "interface-rx-bytes ens1np0 = 12345678",
            "interface-rx-packets ens1np0 = 10000",
            "interface-rx-errors ens1np0 = 0",
            "interface-rx-dropped ens1np0 = 3",
            "interface-tx-bytes ens1np0 = 2345678",
            "interface-tx-packets ens1np0 = 9000",
            "interface-tx-errors ens1np0 = 1",
            "interface-tx-dropped ens1np0 = 0",
            "interface-admin-up ib0 = True",
            "interface-carrier ib0 = False",
            "interface-mtu ib0 = 2044",
            "interface-state ib0 = down",
            "interface-kind ib0 = infiniband",
            "interface-address ib0 = 00:00:10:29:fe:80:00:00:00:00:00:00:a0:88:c2:03:00:aa:00:10",
            "interface-ipv4 ib0 = 10.9.0.4",
            "interface-state ens7np0 = up",
            "interface-ipv4 ens7np0 = 10.4.0.9",
        ]
    )


def test_ip_json() -> None:
    assert said(rdma_texts.IP_JSON) == snapshot(
        [
            "interface-mtu ib0 = 2044",
            "interface-kind ib0 = infiniband",
            "interface-address ib0 = 00:00:10:29",
            "interface-state ib0 = up",
            "interface-admin-up ib0 = True",
            "interface-carrier ib0 = True",
            "interface-rx-bytes ib0 = 5",
            "interface-rx-errors ib0 = 0",
            "interface-tx-bytes ib0 = 6",
        ]
    )


def test_ethtool() -> None:
    assert said(rdma_texts.ETHTOOL) == snapshot(
        [
            "interface-speed ens1np0 = 200.0",
            "interface-duplex ens1np0 = full",
            "interface-autoneg ens1np0 = True",
            "interface-carrier ens1np0 = True",
            "priority-pause-received ens1np0/3 = 5",
            "priority-pause-sent ens1np0/3 = 9",
            "priority-discards ens1np0/3 = 1",
            "interface-pause-received ens1np0 = 14",
            "interface-rx-discards ens1np0 = 2",
            "interface-link-down-events ens1np0 = 3",
            "interface-rx-pause ens1np0 = True",
            "interface-tx-pause ens1np0 = False",
            "interface-driver ens1np0 = mlx5_core",
            "interface-driver-version ens1np0 = 24.10-1.1.4",
            "interface-firmware ens1np0 = 28.43.2026",
            "interface-bus-id ens1np0 = 0000:17:00.0",
            "interface-fec ens1np0 = RS",
        ]
    )


def test_ifconfig() -> None:
    assert said(rdma_texts.IFCONFIG) == snapshot(
        [
            "interface-admin-up ib0 = True",
            "interface-carrier ib0 = True",
            "interface-mtu ib0 = 2044",
            "interface-ipv4 ib0 = 10.9.0.4",
            "interface-kind ib0 = infiniband",
            "interface-address ib0 = 00:00:10:29:fe:80:00:00",
            "interface-rx-packets ib0 = 120",
            "interface-rx-bytes ib0 = 4711",
            "interface-rx-errors ib0 = 1",
            "interface-rx-dropped ib0 = 2",
            "interface-tx-packets ib0 = 9",
            "interface-tx-bytes ib0 = 99",
            "interface-tx-errors ib0 = 0",
            "interface-tx-dropped ib0 = 3",
        ]
    )


def test_kernel_file_listing() -> None:
    assert said(rdma_texts.PASTED_FILES) == snapshot(
        [
            "port-state mlx5_1/1 = Down",
            "port-physical-state mlx5_1/1 = Polling",
            "port-physical-state mlx5_2/1 = LinkUp",
            "interface-mtu ens1np0 = 9000",
            "port-rate mlx5_4/1 = 400.0",
            "port-width mlx5_4/1 = 4",
            "gid-value mlx5_4/1/3 = 0000:0000:0000:0000:0000:ffff:0a01:0204",
            "gid-ipv4 mlx5_4/1/3 = 10.1.2.4",
            "port-rate mlx5_3/1 = 200.0",
            "port-width mlx5_3/1 = 2",
            "port-lid mlx5_0/1 = 17",
        ]
    )


@given(text=st.sampled_from(TEXTS), keep=st.integers(0, 40), middle=st.integers(0, 200))
@settings(max_examples=60, deadline=None)
def test_cutting_never_raises_and_never_invents(text: str, keep: int, middle: int) -> None:
    lines = text.splitlines()[:keep]
    cut = "\n".join([*lines[:-1], lines[-1][:middle]]) if lines else ""
    whole, part = records(text), records(cut)
    (source,) = part.sources
    assert source.used + source.ignored + source.unread == source.lines
    known = {(r.attribute, r.part, r.value) for r in whole.readings}
    last = len(lines)
    assert {(r.attribute, r.part, r.value) for r in part.readings if r.ref.line < last} <= known


_WORDS = st.sampled_from([word for text in TEXTS for word in text.replace("\t", " ").split(" ") if word.strip()])


@given(st.lists(st.lists(_WORDS | st.text(max_size=8), max_size=8).map(" ".join), max_size=12).map("\n".join))
@settings(max_examples=80, deadline=None)
def test_any_words_give_a_result(text: str) -> None:
    (source,) = records(text).sources or (None,)
    assert source is None or source.used + source.ignored + source.unread == source.lines


def test_brief_form_of_ip() -> None:
    address = ":".join(["00"] * 18 + ["a1", "b2"])
    assert said(f"ib0              DOWN           {address} <NO-CARRIER,BROADCAST,MULTICAST,UP>\n") == snapshot(
        [
            "interface-state ib0 = down",
            "interface-address ib0 = 00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:a1:b2",
            "interface-kind ib0 = infiniband",
        ]
    )


_KEYS = st.sampled_from(
    [
        "ifname",
        "ifindex",
        "port",
        "flags",
        "mtu",
        "operstate",
        "state",
        "node_guid",
        "stats64",
        "rx",
        "tx",
        "bytes",
        "addr_info",
        "family",
        "local",
        "fw",
        "lid",
    ]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS | st.text(max_size=6), inner, max_size=6),
    max_leaves=20,
)


@given(_JSON)
def test_any_json_gives_a_result(value: object) -> None:
    for document in (RdmaJson, IpJson):
        assert document.wants_document(value) in (True, False)
        assert all(r.ref.line == 7 for r in document().read(value, "t", 7))
