"""ifconfig of net-tools 2: interfaces with their addresses and counters."""

from __future__ import annotations

from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_readings import invented, said, unread

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.network.ifconfig import Ifconfig

TEXT = """\
ib0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 2044
        inet 10.9.0.4  netmask 255.255.0.0  broadcast 10.9.255.255
        inet6 fe80::a288:c203:aa:10  prefixlen 64  scopeid 0x20<link>
        infiniband 00:00:10:29:FE:80:00:00  txqueuelen 256  (InfiniBand)
        RX packets 120  bytes 4711 (4.7 KB)
        RX errors 1  dropped 2  overruns 0  frame 0
        TX packets 9  bytes 99 (99.0 B)
        TX errors 0  dropped 3 overruns 0  carrier 0  collisions 0
"""
DOWN = """\
ens7f1np1: flags=4099<UP,BROADCAST,MULTICAST>  mtu 1500
        ether A0:88:c2:00:00:08  txqueuelen 1000  (Ethernet)
        device memory 0xb1a00000-b1afffff

lo: flags=73<UP,LOOPBACK,RUNNING>  mtu 65536
        inet 127.0.0.1  netmask 255.0.0.0
        loop  txqueuelen 1000  (Local Loopback)
"""
LINES = [*TEXT.splitlines(), *DOWN.splitlines()]


def test_all_that_is_read_of_an_interface() -> None:
    assert said(TEXT) == snapshot(
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
    assert unread(TEXT) == []


def test_up_without_running_is_a_link_without_carrier() -> None:
    assert said(DOWN) == snapshot(
        [
            "interface-admin-up ens7f1np1 = True",
            "interface-carrier ens7f1np1 = False",
            "interface-mtu ens7f1np1 = 1500",
            "interface-kind ens7f1np1 = ether",
            "interface-address ens7f1np1 = a0:88:c2:00:00:08",
            "interface-admin-up lo = True",
            "interface-carrier lo = True",
            "interface-mtu lo = 65536",
            "interface-ipv4 lo = 127.0.0.1",
            "interface-kind lo = loopback",
        ]
    )
    assert unread(DOWN) == []


def test_lines_without_their_interface_are_nobodys() -> None:
    assert feed(Ifconfig, TEXT.splitlines()[1:]) == []


def test_counters_far_below_an_interface_are_not_its_own() -> None:
    lines = [TEXT.splitlines()[0], *["something else"] * 20, TEXT.splitlines()[5]]
    assert {r.ref.line for r in feed(Ifconfig, lines)} == {1}


def test_wants_is_blind_to_digits() -> None:
    for text in LINES:
        assert Ifconfig.wants(text) == Ifconfig.wants(shape_of(text).decode()), text


@given(st.integers(0, len(LINES)), st.integers(0, 80))
@settings(max_examples=25, deadline=None)
def test_cut_anywhere_it_invents_nothing(lines: int, letters: int) -> None:
    assert invented(TEXT + DOWN, lines, letters) == set()


@given(st.lists(st.sampled_from(LINES) | st.text(max_size=40), max_size=30), st.integers(0, 80))
def test_any_lines_give_a_result(lines: list[str], cut: int) -> None:
    for found in feed(Ifconfig, [line[:cut] for line in lines]):
        assert found.part.kind == "interface"
        assert 1 <= found.ref.line <= len(lines)
