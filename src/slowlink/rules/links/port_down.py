"""An HCA port is down.

A port lost its link and did not come back, or perftest refused to run because its port is not active (a port that waits
in Init or Armed lacks a subnet manager). What NCCL says of a port of the job is critical; what only the kernel or UFM
logged, which may be any port, is a warning.

Why it matters: transfers through it end with status 12; the other NICs carry its traffic as well.
How to confirm: ``ibstat`` or ``rdma link`` on the node: State Active, Physical state LinkUp.
What to do: check cable, transceiver and switch port; on Ethernet bring the interface up; an InfiniBand port that is
"Initializing" with a link needs a subnet manager. Until it is fixed, leave the port out with NCCL_IB_HCA.
When it is wrong: some ports are not cabled by design; one that never came up since the kernel or its driver began may
be such a port, so it is only possible, and where a network daemon alone says so it is nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated

from slowlink.model.facts import Events, Of, Perftests, Readings, Warnings
from slowlink.model.nccl import LogWarning
from slowlink.model.report import Finding
from slowlink.model.source import Ref
from slowlink.patterns import regex
from slowlink.rules.evidence.findings import finding, lines_evidence, suspects
from slowlink.rules.evidence.links_to_docs import IBV_ASYNC, NCCL_ENV
from slowlink.rules.evidence.messages import BROKEN_PATH, LogMessage, at_hosts, hosts_of, listed, refs_of
from slowlink.rules.links.leave_out import leave_out
from slowlink.rules.links.link_starts import Starts
from slowlink.rules.links.port_events import LoggedPort, by_device, ports_that_fell, returned

CAUSES = ("port-down", "subnet-manager-missing")

_STATE = regex(r"Port number (\d{1,3}) state is (Down|Init|Armed)")


def check(
    warnings: Warnings | None,
    events: Events | None,
    perftests: Perftests | None,
    releases: Annotated[Readings, Of("kernel-release")] | None,
) -> Iterator[Finding]:
    """Ports that fell and stayed down, and those that perftest refused."""
    back = returned(warnings, events)
    down = ports_that_fell(warnings, events)
    lost = Starts(events, releases).lost(down, back)
    fell = {port: said for port, said in lost.items() if port not in back}
    never_up = {port: by_device(said) for port, said in down.items() if port not in lost and port not in back}
    found = [message for messages in fell.values() for message in messages]
    if found:
        by_nccl = any(isinstance(message, LogWarning) for message in found)
        yield _down([port for port in fell if port.name], refs_of(found), hosts_of(found), sure=by_nccl)
    if any(never_up.values()) and back:
        yield _never_up({port: said for port, said in never_up.items() if said})
    refused = [error for run in (perftests.all if perftests is not None else ()) for error in run.errors]
    for state in ("Down", "Init", "Armed"):
        refs = [ref for ref in refused if (match := _STATE.search(ref.text)) and match[2] == state]
        if refs and state == "Down":
            yield _down([], refs, (), sure=True)
        elif refs:
            yield _not_configured(state, refs)
            return  # ports in Armed would need the same subnet manager


def _down(ports: Sequence[LoggedPort], refs: Sequence[Ref], hosts: Sequence[str], sure: bool) -> Finding:
    names = [port.name for port in ports]
    are_down = ("is down" if len(names) < 2 else "are down") + (" and did not come back" if names or hosts else "")
    return finding(
        "port-down",
        f"{at_hosts(hosts)}{listed(names) or 'a port'} {are_down}",
        severity="critical" if sure else "warning",
        confidence="likely",
        evidence=lines_evidence(refs, 4),
        suspects=(*suspects("port", names), *suspects("node", hosts)),
        explains=BROKEN_PATH if sure else (),
        remedy=[
            ("See the state of all ports.", "rdma link; ibstat"),
            *_without_first(ports),
        ],
        references=[IBV_ASYNC, f"{NCCL_ENV}#nccl-ib-hca"],
    )


def _never_up(ports: Mapping[LoggedPort, Sequence[LogMessage]]) -> Finding:
    """Of ports that others beside them came up without."""
    names = [port.name for port in ports if port.name]
    said = [message for messages in ports.values() for message in messages]
    return finding(
        "port-down",
        f"{at_hosts(hosts_of(said))}{listed(names) or 'a port'} did not come up since the driver began, while other "
        "ports did",
        severity="warning",
        confidence="possible",
        evidence=lines_evidence(refs_of(said), 4),
        suspects=(*suspects("port", names), *suspects("node", hosts_of(said))),
        remedy=[("See the state of all ports.", "rdma link; ibstat"), *_without_first(tuple(ports))],
        references=[IBV_ASYNC],
    )


def _without_first(ports: Iterable[LoggedPort]) -> list[tuple[str, str]]:
    """For the first port of each kind of name: the others follow the same pattern."""
    first: dict[str, LoggedPort] = {}
    for port in ports:
        first.setdefault(port.named_by, port)
    return [step for port in first.values() for step in leave_out(port.name, port.named_by)]


def _not_configured(state: str, refs: Sequence[Ref]) -> Finding:
    return finding(
        "subnet-manager-missing",
        f"a port has its link and stays in state {state}: no subnet manager has configured it",
        severity="critical",
        confidence="likely",
        evidence=lines_evidence(refs),
        explains=("port-down", *BROKEN_PATH),
        remedy=[("See whether a subnet manager answers.", "sminfo")],
        references=[IBV_ASYNC],
    )
