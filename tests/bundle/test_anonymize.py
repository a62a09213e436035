"""Names are replaced one to one; what the analysis needs (node sets, subnets, grammar, tables) stays."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from slowlink.nodes import expand
from slowlink.redact import Anonymizer
from slowlink.redact.other_names.addresses import Addresses
from slowlink.simulate.nccl_tests_output import LAYOUTS, Measured, Node, Run, Step, render

hosts = st.from_regex(r"[a-z]{2,6}-?[a-z]?[0-9]{1,4}", fullmatch=True)
unhurried = settings(deadline=None, max_examples=60)


@unhurried
@given(st.lists(hosts, min_size=1, max_size=12, unique=True))
def test_hosts_are_replaced_one_to_one(names: list[str]) -> None:
    anonymizer = Anonymizer(names)
    made = [anonymizer.line(name) for name in names]
    assert len(set(made)) == len(names)
    assert [anonymizer.line(f"{name}:12:13 [0] NCCL INFO x") for name in names] == [
        f"{name}:12:13 [0] NCCL INFO x" for name in made
    ]
    assert set(made) == {f"host-{number + 1:03d}" for number in range(len(names))}


octets = st.tuples(*[st.integers(0, 255)] * 4)


@unhurried
@given(st.lists(octets, min_size=1, max_size=30, unique=True))
def test_addresses_are_replaced_one_to_one_and_subnets_and_ranges_are_kept(found: list[tuple[int, ...]]) -> None:
    addresses = Addresses()
    texts = [".".join(map(str, address)) for address in found]
    made = [addresses.v4(text) for text in texts]
    assert len(set(made)) == len(set(texts))
    for text, other in zip(texts, made, strict=True):
        assert other is not None
        assert len(other) == len(text)
        before, after = ipaddress.ip_address(text), ipaddress.ip_address(other)
        assert (before.is_loopback, before.is_multicast, before.is_link_local) == (
            after.is_loopback,
            after.is_multicast,
            after.is_link_local,
        )
        for one, two in zip(texts, made, strict=True):
            assert two is not None
            same = one.rsplit(".", 1)[0] == text.rsplit(".", 1)[0]
            assert same == (two.rsplit(".", 1)[0] == other.rsplit(".", 1)[0])


@unhurried
@given(st.lists(st.ip_addresses(v=6), min_size=1, max_size=20, unique=True))
@example([ipaddress.IPv6Address("::2"), ipaddress.IPv6Address("::1")])
def test_addresses_of_version_6_are_replaced_one_to_one(found: list[ipaddress.IPv6Address]) -> None:
    addresses = Addresses()
    made = [addresses.v6(str(address)) for address in found]
    assert None not in made
    assert len(set(made)) == len(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gpu[01-03,04] up", "host-[001-004] up"),
        ("NCCL INFO Bootstrap : Using eth0:10.3.17.4<0>", "NCCL INFO Bootstrap : Using eth0:10.0.10.1<0>"),
        ("ib0:fe80::9a03:9bff%ib0<0>", "ib0:fe80::1:1%ib0<0>"),
        (
            "gpu02.cluster.example.org and gpu02-ib0 and -1gpu02:7:7",
            "host-002.domain-1 and host-002-ib0 and -1host-002:7:7",
        ),
        ("/home/alice/x alice@gpu01 alice", "/home/user-1/x user-1@host-001 alice"),
        ("GUID 0x506b4b0300abcdef 506b:4b03:00ab:cdef", "GUID 0x0000000000000001 0000:0000:0000:0001"),
        ("98:03:9b:aa:bb:cc", "00:00:00:00:00:01"),
        ("98-03-9B-AA-BB-CC 9803.9baa.bbcc", "00-00-00-00-00-01 0000.0000.0001"),
        ("from fe80::9a03:9bff:feaa:bbcc%eth0", "from fe80::1:1:1:1%eth0"),
        ("FE80::9a03:9bff:feaa:bbcc%eth0", "fe80::1:1:1:1%eth0"),
        ('{"user": "carol"} USER: carol', '{"user": "user-2"} USER: user-2'),
        ("uid=1007(carol) gid=1007(lab) UserId=carol(1007)", "uid=1007(user-2) gid=1007(user-3) UserId=user-2(1007)"),
        ("started by alice(1000)", "started by user-1(1000)"),
        ("GPU01 and Gpu02.Cluster", "host-001 and host-002.Cluster"),
        ("www.lab.example.org, x@example.org", "www.lab.domain-2, x@domain-2"),
        ("SLURM_JOB_ACCOUNT=secretproject --account=other", "SLURM_JOB_ACCOUNT=account-1 --account=account-2"),
        ("SLURM_JOB_NAME=secretproject", "SLURM_JOB_NAME=job-1"),
    ],
)
def test_names_of_every_kind(text: str, expected: str) -> None:
    known = ["gpu01", "gpu02.cluster.example.org", "gpu03", "gpu04"]
    assert Anonymizer(known, users=["alice"]).line(text) == expected


@unhurried
@given(st.from_regex(r"[0-9a-f]{11}[a-f]", fullmatch=True))
def test_a_mac_is_the_same_one_however_it_is_written(digits: str) -> None:
    pairs = [digits[at : at + 2] for at in range(0, 12, 2)]
    threes = ".".join(digits[at : at + 4] for at in range(0, 12, 4))
    anonymizer = Anonymizer()
    made = [anonymizer.line(f"at {form},") for form in (":".join(pairs), "-".join(pairs).upper(), threes)]
    assert made == ["at 00:00:00:00:00:01,", "at 00-00-00-00-00-01,", "at 0000.0000.0001,"]


@pytest.mark.parametrize(
    "text",
    [
        "NET/IB : Using [0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE [RO]; results[0] times_us[3-4]",
        "0000:06:00.0 12:34:56 2026-01-01T12:34:56.123 1:2:3 a::b c10d::ProcessGroup",
        "127.0.0.1 ::1 0.0.0.0 255.255.255.0 libfabric version 1.22.0.1 NCCL version 2.21.5+cuda12.4",
        "ncclCommInitRank comm 0x55d0c8a9c7d0 rank 0 nranks 16 busId 6000 commId 0x506b4b0300abcdef - Init COMPLETE",
        "the node and the host, localhost, rank 3, gpu 7",
        "26-11-27-10-00-01 2026.1127.1000 user 0m1.2s user: 12.5 system: 3.1 uid=1000",
        "all-reduce-ab-cd 1.2.3-ab-cd-ef",
    ],
)
def test_what_is_no_name_stays(text: str) -> None:
    assert Anonymizer(["node7", "12", "localhost", "gpu", "host"]).line(text) == text


@unhurried
@given(st.sampled_from(sorted(LAYOUTS)), st.lists(st.integers(0, 1 << 36), min_size=1, max_size=6))
def test_the_numbers_of_a_table_stay(layout: str, sizes: list[int]) -> None:
    steps = tuple(Step(size, Measured(size / 7 + 10), Measured(size / 9 + 11)) for size in sizes)
    run = Run("all_reduce", (Node("trainer-a7", 4711, 4), Node("trainer-a8", 812, 4)), steps)
    anonymizer = Anonymizer(["trainer-a7", "trainer-a8"])
    lines = render(run, layout)
    assert [anonymizer.line(line) for line in lines] == [
        line.replace("trainer-a7", "host-001").replace("trainer-a8", "host-002") for line in lines
    ]


def test_hosts_that_a_log_names_are_learned_from_it() -> None:
    anonymizer = Anonymizer()
    assert (
        anonymizer.line("trainer-a7:12:13 [0] NCCL INFO hello trainer-a7")
        == "host-001:12:13 [0] NCCL INFO hello host-001"
    )
    device = "#  Rank  0 Group  0 Pid   4711 on trainer-b1 device  0 [0x06] GPU"
    assert anonymizer.line(device) == device.replace("trainer-b1", "host-002")
    assert anonymizer.mapping()["hosts"] == {"trainer-a7": "host-001", "trainer-b1": "host-002"}


def test_folded_sets_expand_to_the_hosts_they_stand_for() -> None:
    names = [f"rack{rack}-n{node:02d}" for rack in (1, 2) for node in range(4)]
    anonymizer = Anonymizer(names)
    folded = anonymizer.line("rack1-n[00-03]"), anonymizer.line("rack2-n[01,03]")
    assert [sorted(expand(text)) for text in folded] == [
        [anonymizer.line(name) for name in names[:4]],
        [anonymizer.line(names[5]), anonymizer.line(names[7])],
    ]
