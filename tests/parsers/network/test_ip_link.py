"""ip link and ip addr as text: whole, brief, with counters, and with kinds of errors."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_readings import invented, said, unread

from slowlink.parsers.forms.lines import shape_of
from slowlink.parsers.network.ip_link import IpLink

STATISTICS = """\
3: ens1np0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq master bond0 state UP mode DEFAULT group default qlen 1000
    link/ether a0:88:c2:11:22:33 brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
      12345678   10000      0       3       0       2
    TX:  bytes packets errors dropped carrier collsns
       2345678    9000      1       0       0       0
4: ib0: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 2044 qdisc mq state DOWN mode DEFAULT group default qlen 256
    link/infiniband 00:00:10:29:fe:80:00:00:00:00:00:00:a0:88:c2:03:00:aa:00:10 brd 00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff
    inet 10.9.0.4/16 brd 10.9.255.255 scope global ib0
       valid_lft forever preferred_lft forever
ens7np0          UP             10.4.0.9/16 fe80::a288:c2ff:fe11:2244/64
"""
ERRORS = """\
[root@gpu07 ~]# ip -s -s link show dev p4p1
6: p4p1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 00:11:22:33:44:07 brd ff:ff:ff:ff:ff:ff
    RX: bytes  packets  errors  dropped overrun mcast
    104        90       14      0       0       8
    RX errors: length   crc     frame   fifo    missed
               0        14      0       0       0
"""
LINES = [*STATISTICS.splitlines(), *ERRORS.splitlines()]


@pytest.mark.parametrize("text", [STATISTICS, ERRORS])
def test_no_line_stays_unread(text: str) -> None:
    assert unread(text) == []


def test_interfaces_with_their_counters_and_one_of_the_brief_form() -> None:
    assert said(STATISTICS) == snapshot(
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


def test_kinds_of_errors_are_no_counters() -> None:
    assert [text for text in said(ERRORS) if "errors" in text] == snapshot(["interface-rx-errors p4p1 = 14"])


def test_the_brief_form_shows_ipoib_by_the_length_of_its_address() -> None:
    address = ":".join(["00"] * 18 + ["a1", "b2"])
    assert said(f"ib0              DOWN           {address} <NO-CARRIER,BROADCAST,MULTICAST,UP>\n") == snapshot(
        [
            "interface-state ib0 = down",
            "interface-address ib0 = 00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:00:a1:b2",
            "interface-kind ib0 = infiniband",
        ]
    )


def test_a_child_goes_by_its_own_name_and_an_unknown_state_says_nothing() -> None:
    text = (
        "7: ib0.8001@ib0: <BROADCAST,MULTICAST> mtu 4092 qdisc noop state DOWN mode DEFAULT\n"
        "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT\n"
        "lo               UNKNOWN        127.0.0.1/8\n"
    )
    assert said(text) == snapshot(
        [
            "interface-admin-up ib0.8001 = False",
            "interface-carrier ib0.8001 = False",
            "interface-mtu ib0.8001 = 4092",
            "interface-state ib0.8001 = down",
            "interface-admin-up lo = True",
            "interface-carrier lo = True",
            "interface-mtu lo = 65536",
            "interface-ipv4 lo = 127.0.0.1",
        ]
    )


def test_numbers_without_their_interface_are_nobodys() -> None:
    assert feed(IpLink, STATISTICS.splitlines()[1:6]) == []


def test_wants_is_blind_to_digits() -> None:
    for text in LINES:
        assert IpLink.wants(text) == IpLink.wants(shape_of(text).decode()), text


@given(st.sampled_from([STATISTICS, ERRORS]), st.integers(0, 12), st.integers(0, 120))
@settings(max_examples=25, deadline=None)
def test_cut_anywhere_it_invents_nothing(text: str, lines: int, letters: int) -> None:
    assert invented(text, lines, letters) == set()


@given(st.lists(st.sampled_from(LINES) | st.text(max_size=40), max_size=30), st.integers(0, 120))
def test_any_lines_give_a_result(lines: list[str], cut: int) -> None:
    for found in feed(IpLink, [line[:cut] for line in lines]):
        assert found.part.kind == "interface"
        assert 1 <= found.ref.line <= len(lines)
