"""ip -j: the list of interfaces as JSON."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_readings import said, unread

from slowlink.parsers.network.ip_json import IpJson

TEXT = """\
[{"ifindex":4,"ifname":"ib0","flags":["BROADCAST","MULTICAST","UP","LOWER_UP"],"mtu":2044,"operstate":"UP",
  "link_type":"infiniband","address":"00:00:10:29","stats64":{"rx":{"bytes":5,"errors":0},"tx":{"bytes":6}}}]
"""
ADDRESSES = """\
[{},{"ifindex":5,"ifname":"ens1np0","flags":["NO-CARRIER","BROADCAST","UP"],"mtu":9000,"master":"bond0",
  "operstate":"UNKNOWN","link_type":"ether","address":"a0:88:c2:11:22:33",
  "addr_info":[{"family":"inet","local":"10.4.0.9","prefixlen":16},{"family":"inet6","local":"fe80::1"}],
  "stats":{"rx":{"bytes":"many","packets":true,"dropped":7},"tx":[]}}]
"""


def test_an_interface_with_counters() -> None:
    assert said(TEXT) == snapshot(
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
    assert unread(TEXT) == []


def test_addresses_and_values_of_another_type() -> None:
    assert said(ADDRESSES) == snapshot(
        [
            "interface-mtu ens1np0 = 9000",
            "interface-bond ens1np0 = bond0",
            "interface-kind ens1np0 = ether",
            "interface-address ens1np0 = a0:88:c2:11:22:33",
            "interface-admin-up ens1np0 = True",
            "interface-carrier ens1np0 = False",
            "interface-ipv4 ens1np0 = 10.4.0.9",
            "interface-rx-dropped ens1np0 = 7",
        ]
    )


def test_other_lists_are_left_alone() -> None:
    assert not IpJson.wants_document([{"ifname": "ib0", "flags": ["UP"]}])
    assert not IpJson.wants_document({"ifindex": 4, "flags": []})
    assert list(IpJson().read([{"ifindex": 4, "flags": ["UP"], "mtu": 9000}], "t", 1)) == []


def test_a_document_that_is_cut_anywhere_gives_only_what_is_whole() -> None:
    whole = set(said(TEXT))
    for end in range(len(TEXT)):
        assert set(said(TEXT[:end])) <= whole, TEXT[:end]


_KEYS = st.sampled_from(
    ["ifname", "ifindex", "flags", "mtu", "operstate", "stats64", "rx", "tx", "bytes", "addr_info", "family", "local"]
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS | st.text(max_size=6), inner, max_size=6),
    max_leaves=20,
)


@given(_JSON)
def test_any_json_gives_a_result(value: object) -> None:
    assert IpJson.wants_document(value) in (True, False)
    assert all(r.ref.line == 7 for r in IpJson().read(value, "t", 7))
