"""Which network is used, with which devices, and the interface of the bootstrap."""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.model.nccl import Bootstrap, NetDevice, NetworkChoice
from slowlink.parsers.nccl.nccl_log.message import At, Marker, NcclMessage, Sample, harmless, sample
from slowlink.patterns import regex

_MERGED = regex(r"\[(?P<index>\d{1,5})\]=\{(?P<members>[^{}]*)\}")
_PORT = regex(r"\[(?P<index>\d{1,5})\] ?(?P<name>[^\s:;,\[\]{}/]+):(?P<port>\d{1,4})(?::[^\s/]*)?/(?P<layer>[A-Za-z]+)")
_INTERFACE = regex(r"\[(?P<index>\d{1,5})\](?P<name>[^\s:\[\]]+):(?P<address>[^\s\[]+)")
_LINE_LIMIT = 1000
"""Up to 2.28 a line is cut at 1024 bytes: a list that ends near there, without its end mark, is cut."""


def _using_ib(match: re.Match[str], at: At) -> Iterator[NetDevice]:
    listed = match["list"]
    cut = "..." in listed or ("OOB" not in listed and len(at.ref.text) > _LINE_LIMIT)
    for merged in _MERGED.finditer(listed):
        members = tuple(_PORT.finditer(merged["members"]))
        names = tuple(member["name"] for member in members)
        layer = members[0]["layer"] if members else None
        index = int(merged["index"])
        yield NetDevice("IB", index, "+".join(names), None, layer, None, at.process, at.ref, names, cut)
    for port in _PORT.finditer(_MERGED.sub("", listed.partition("OOB")[0])):
        yield NetDevice(
            "IB", int(port["index"]), port["name"], int(port["port"]), port["layer"], None, at.process, at.ref,
            list_cut=cut,
        )  # fmt: skip


def _using_socket(match: re.Match[str], at: At) -> Iterator[NetDevice]:
    for each in _INTERFACE.finditer(match["list"]):
        yield NetDevice("Socket", int(each["index"]), each["name"], None, None, None, at.process, at.ref)


def _virtual(match: re.Match[str], at: At) -> Iterator[NetDevice]:
    members = tuple(match["name"].split("+"))
    speed = int(match["speed"]) / 1000
    yield NetDevice("IB", int(match["index"]), match["name"], None, None, speed, at.process, at.ref, members)


def _port(match: re.Match[str], at: At) -> Iterator[NetDevice]:
    yield NetDevice(
        "IB",
        int(match["index"]),
        match["name"],
        int(match["port"]),
        match["layer"],
        int(match["speed"]) / 1000,
        at.process,
        at.ref,
    )


def _network(match: re.Match[str], at: At) -> Iterator[NetworkChoice]:
    yield NetworkChoice(match["network"], at.process, at.ref)


def _no_device(_: re.Match[str], at: At) -> Iterator[Marker]:
    yield Marker("no_ib_device", at.process, at.ref)


def _bootstrap(match: re.Match[str], at: At) -> Iterator[Bootstrap]:
    yield Bootstrap(match["interface"], match["address"], at.process, at.ref)


MESSAGES = (
    NcclMessage(
        r"Using network (?P<network>\S{1,100}(?: [^\s][^\s]{0,100})*)",
        sample("2.7+", "Using network IB", "Using network Socket", "Using network AWS Libfabric"),
        _network,
    ),
    NcclMessage(
        r"NET/IB ?: Using (?P<list>\[\d.*)",
        (
            Sample("2.7-2.11", "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE ; OOB eth0:10.0.0.1<0>"),
            Sample("2.12+", "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>"),
            Sample(
                "2.20-2.23",
                "NET/IB : Using [0]={[0] mlx5_0:1/IB, [1] mlx5_1:1/IB} [RO]; OOB eth0:10.0.0.1<0>",
            ),
            Sample("2.30", "NET/IB : Using [0]mlx5_0:1:0:1/RoCE [1]mlx5_1:1/RoCE [RO]"),
        ),
        _using_ib,
        bare=True,
    ),
    NcclMessage(
        r"NET/Socket ?: Using (?P<list>\[\d.*)",
        sample("all", "NET/Socket : Using [0]eth0:10.0.0.1<0> [1]eth1:10.0.1.1<0>"),
        _using_socket,
        bare=True,
    ),
    NcclMessage(r"NET/IB ?: No device found", sample("all", "NET/IB : No device found."), _no_device, bare=True),
    NcclMessage(
        r"NET/IB ?: Made virtual device \[(?P<index>\d{1,5})\] name=(?P<name>\S+) speed=(?P<speed>\d{1,9}) ndevs=\d+",
        (
            Sample("2.24+", "NET/IB : Made virtual device [2] name=mlx5_0+mlx5_1 speed=800000 ndevs=2"),
            Sample("2.30", "NET/IB : Made virtual device [0] name=mlx5_0 speed=400000 ndevs=1 rail=-1 plane=-1"),
        ),
        _virtual,
        subsystem="NET",
        bare=True,
    ),
    NcclMessage(
        r"NET/IB ?: \[(?P<index>\d{1,5})\] (?P<name>[^\s:]+):[^\s:]+:(?P<port>\d{1,4})/(?P<layer>[A-Za-z]+) "
        r"provider=\S+ speed=(?P<speed>\d{1,9})",
        sample(
            "2.24+",
            "NET/IB: [0] mlx5_0:uverbs0:1/RoCE provider=Mlx5 speed=400000 context=0x55d0c5e0b2a0 "
            "pciPath=/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0 ar=0",
        ),
        _port,
        subsystem="NET",
    ),
    NcclMessage(
        r"Bootstrap ?: Using (?:\[\d+\])?(?P<interface>[^\s:\[\]]+):(?P<address>\S+)",
        (
            Sample("2.7", "Bootstrap : Using [0]ib0:10.0.0.1<0> [1]eth0:10.1.0.1<0>"),
            Sample("2.8-2.23", "Bootstrap : Using eth0:10.0.0.1<0>"),
            Sample("2.24+", "Bootstrap: Using eth0:10.0.0.1<0>"),
        ),
        _bootstrap,
        bare=True,
    ),
    harmless(
        r"Bootstrap (?:timings|: Using)|Bootstrap:",
        *sample("2.23+", "Bootstrap timings total 0.001447 (create 0.000081, send 0.000255, recv 0.000268)"),
    ),
    harmless(
        r"NET/(?:Socket ?: Using \d|IB ?: (?:Dev|IbDev|NCCL Dev|GID|Initialized|Using)|IB ?: \S+ \d+ Port)",
        *sample(
            "all",
            "NET/Socket: Using 1 threads and 1 sockets per thread",
            "NET/IB: Dev 0 Port 1 qpn 290 mtu 5 LID 12",
            "NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn 290 mtu 5 query_ece={supported=0}",
            "NET/IB: IbDev 0 Port 1 qpn 290 set_ece={supported=0}",
        ),
    ),
    harmless(
        r"Rank \d+: \d+ Net devices|Local Net device counts",
        *sample("2.30", "Rank 0: 2 Net devices", "Local Net device counts across ranks: min 2 max 2"),
    ),
)
