"""NCCL settings differ between the ranks of one communicator.

Ranks of one communicator announced different values of a setting that must be equal: the choice of algorithm or
protocol, buffer sizes, channels, or how the network is used. Or their nodes list such values in what ``env`` printed.
Or one node lacks a setting that all the others have: in such lists, and in NCCL's log where a message did not fit and
the node tells of its network, but of no such setting.

Why it matters: ranks then send what others do not expect: hangs, truncated messages, or a communicator that is never
created.
How to confirm: ``NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=ENV``, and compare the announcements of all ranks.
What to do: set it once for all ranks, in the job's script (``mpirun -x NAME``); look for /etc/nccl.conf and
~/.nccl.conf that differ between nodes.
When it is wrong: never for the names that are compared here; names that may differ by node (interfaces, HCAs, files)
are left out. Where no line tells of a communicator, the hosts of one log, or of one list, may be those of two jobs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from slowlink.model.facts import Communicators, Environment, Network, Warnings
from slowlink.model.nccl import EnvSetting
from slowlink.model.report import Finding
from slowlink.rules.evidence.commands import as_assignment, command
from slowlink.rules.evidence.findings import finding, line_evidence, suspects
from slowlink.rules.evidence.links_to_docs import NCCL_ENV
from slowlink.rules.evidence.messages import warned

CAUSES = ("environment-differs",)

_MUST_BE_EQUAL = frozenset(
    {
        "NCCL_ALGO",
        "NCCL_PROTO",
        "NCCL_BUFFSIZE",
        "NCCL_LL_BUFFSIZE",
        "NCCL_LL128_BUFFSIZE",
        "NCCL_NTHREADS",
        "NCCL_MIN_NCHANNELS",
        "NCCL_MAX_NCHANNELS",
        "NCCL_MIN_CTAS",
        "NCCL_MAX_CTAS",
        "NCCL_P2P_NET_CHUNKSIZE",
        "NCCL_NET",
        "NCCL_IB_DISABLE",
        "NCCL_IB_SPLIT_DATA_ON_QPS",
        "NCCL_IB_QPS_PER_CONNECTION",
        "NCCL_COLLNET_ENABLE",
        "NCCL_NVLS_ENABLE",
        "NCCL_CROSS_NIC",
        "NCCL_CUMEM_ENABLE",
        "NCCL_SOCKET_FAMILY",
    }
)


_EXPLAINS = ("collective-mismatch", "busbw-below-expected", "rank-stuck")
_TWO = 2
_NOT_FITTING = ("ib-incorrect-receive-info", "socket-message-truncated", "symmetric-mismatch")


def check(
    environment: Environment, comms: Communicators | None, network: Network | None, warnings: Warnings | None
) -> Iterator[Finding]:
    """For each setting, the first two ranks of one communicator that differ. Only what the library itself announced
    counts: a script may set a variable for some other program. Where no line tells of a communicator (somebody picked
    the announcements out), two hosts of one log that differ."""
    members = _communicator_of(comms) if comms is not None else None
    first: dict[tuple[str, str], EnvSetting] = {}
    reported: set[str] = set()
    for setting in environment.settings:
        host, pid = setting.process.host, setting.process.pid
        group = members.get((host, pid)) if members is not None else setting.ref.source
        if setting.origin != "log" or group is None or setting.name not in _MUST_BE_EQUAL or setting.name in reported:
            continue
        other = first.setdefault((group, setting.name), setting)
        apart = members is not None or (host is not None and other.process.host not in (None, host))
        if apart and other.value.strip() != setting.value.strip():
            reported.add(setting.name)
            yield _finding(other, setting, sure=members is not None)
    for name, lacking, having in _unequal(environment, network, warnings):
        if name not in reported:
            reported.add(name)
            yield _lacking(name, lacking, having) if isinstance(lacking, str) else _finding(having, lacking, sure=False)


def _unequal(
    environment: Environment, network: Network | None, warnings: Warnings | None
) -> Iterator[tuple[str, EnvSetting | str, EnvSetting]]:
    """Names with what one host has, another value or nothing (then the host alone), and what another one has."""
    for tables in _listed_by_host(environment).values():
        yield from _between(tables, of_two=False)
    if warned(warnings, *_NOT_FITTING):
        announced = _announced_by_host(environment)
        for host in _telling(network):
            announced.setdefault(host, {})
        yield from _between(announced, of_two=True)


def _between(
    tables: Mapping[str, Mapping[str, EnvSetting]], *, of_two: bool
) -> Iterator[tuple[str, EnvSetting | str, EnvSetting]]:
    """What differs between hosts, or is lacking on few of them. ``of_two``: also on one of two, of which the other may
    be a launcher's, whose ranks get theirs on the way."""
    for name in sorted({name for table in tables.values() for name in table} & _MUST_BE_EQUAL):
        having = {host: table[name] for host, table in tables.items() if name in table}
        without = [host for host in tables if host not in having]
        first, *others = having.values()
        unlike = next((other for other in others if other.value.strip() != first.value.strip()), None)
        if unlike is not None:
            yield name, unlike, first
        elif without and (len(without) < len(having) or (of_two and len(tables) == _TWO)):
            yield name, without[0], first


def _listed_by_host(environment: Environment) -> Mapping[str, Mapping[str, Mapping[str, EnvSetting]]]:
    """Source -> host -> name -> what a dump of the environment says."""
    found: dict[str, dict[str, dict[str, EnvSetting]]] = {}
    for setting in environment.settings:
        host = setting.process.host
        if setting.origin == "dump" and host is not None:
            found.setdefault(setting.ref.source, {}).setdefault(host, {})[setting.name] = setting
    return found


def _announced_by_host(environment: Environment) -> dict[str, dict[str, EnvSetting]]:
    found: dict[str, dict[str, EnvSetting]] = {}
    for setting in environment.settings:
        if setting.origin == "log" and setting.process.host is not None:
            found.setdefault(setting.process.host, {})[setting.name] = setting
    return found


def _telling(network: Network | None) -> list[str]:
    """Hosts whose ranks say which network they chose: what they set, they would have said as well."""
    chosen = network.choices if network is not None else ()
    return list(dict.fromkeys(each.process.host for each in chosen if each.process.host is not None))


def _lacking(name: str, host: str, having: EnvSetting) -> Finding:
    return finding(
        "environment-differs",
        f"{name} differs between ranks: {having.value} on {having.process.host}, and {host} does not have it",
        severity="error",
        confidence="likely",
        evidence=[line_evidence(having.ref, observed=having.value, expected=f"the same on {host}")],
        suspects=(*suspects("setting", [name]), *suspects("node", [host])),
        explains=_EXPLAINS,
        remedy=[("Set it once for all ranks.", command("mpirun", "-x", as_assignment(name, having.value), "..."))],
        references=[NCCL_ENV],
    )


def _communicator_of(comms: Communicators) -> Mapping[tuple[str | None, int | None], str]:
    """The largest communicator of each process, by its id, which is equal on all ranks."""
    known = [c for c in comms.all if c.comm_id is not None and c.process.pid is not None]
    ordered = sorted(known, key=lambda comm: comm.nranks or 0)
    return {(c.process.host, c.process.pid): c.comm_id for c in ordered if c.comm_id is not None}


def _finding(a: EnvSetting, b: EnvSetting, *, sure: bool) -> Finding:
    where = [setting.process.host or "one rank" for setting in (a, b)]
    return finding(
        "environment-differs",
        f"{a.name} differs between ranks: {a.value} on {where[0]}, {b.value} on {where[1]}",
        severity="error" if sure or a.origin == "dump" else "warning",
        confidence="certain" if sure else "likely",
        evidence=[line_evidence(a.ref, observed=a.value), line_evidence(b.ref, observed=b.value, expected=a.value)],
        suspects=(*suspects("setting", [a.name]), *suspects("node", (a.process.host, b.process.host))),
        explains=_EXPLAINS,
        remedy=[("Set it once for all ranks.", command("mpirun", "-x", as_assignment(a.name, a.value), "..."))],
        references=[NCCL_ENV],
    )
