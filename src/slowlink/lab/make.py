"""Makes a lab and takes it down."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from slowlink.errors import SlowlinkError
from slowlink.lab import host as hosts
from slowlink.lab import host_start, network, process
from slowlink.lab.files import write_files
from slowlink.lab.state import Host, State, boot_id, claim, directory, fabric_pid, load, save
from slowlink.lab.tools import check_machine


def up(
    name: str = "lab",
    nodes: int = 4,
    share: Iterable[str | Path] = (),
    binds: Mapping[str, str] | None = None,
    *,
    bound: bool = False,
) -> State:
    """Makes the hosts node1 to node<nodes>. A lab that comes up only in part is taken down again.

    ``share``: directories below /tmp, /run and /dev/shm that the hosts shall see although theirs are their own.
    ``binds``: path on every host -> what lies there instead. ``bound``: the hosts end with this process, even when
    it is killed. Raises SlowlinkError.
    """
    check_machine()
    if not 1 <= nodes <= network.MAX_HOSTS:
        raise SlowlinkError(f"a lab has 1 to {network.MAX_HOSTS} hosts", slug="lab-size")
    left = load(name)
    if left is not None and not any(process.alive(one) for one in left.processes()):
        down(name)  # what an earlier boot or a killed command left
    own = claim(name)
    state = State(name, boot_id(), _shared(own, share), dict(binds or {}), ends_with=os.getpid() if bound else None)
    state.hosts = [Host(f"node{number}", network.address(number), number) for number in range(1, nodes + 1)]
    try:
        write_files(own, state)
        save(state)
        state.fabric = hosts.start_fabric(state)
        save(state)
        network.make_bridge(state.fabric.pid)
        for host in state.hosts:
            hosts.start_host(own, state, host)
            save(state)
        bring_in(own, state, state.hosts)
    except BaseException:
        _remove(state)
        raise
    return state


def bring_in(own: Path, state: State, wanted: Sequence[Host]) -> None:
    for host in wanted:
        hosts.await_namespaces(host)
        network.connect(fabric_pid(state), host)
    for host in wanted:
        hosts.await_sshd(own, host)
    save(state)


def _shared(own: Path, share: Iterable[str | Path]) -> list[str]:
    wanted = [own, Path.cwd(), Path(sys.prefix), Path(__file__).parents[2], *map(Path, share)]
    found = {str(path.resolve()) for path in wanted}
    return sorted(path for path in found if any(path.startswith(f"{hidden}/") for hidden in host_start.OWN))


def down(name: str = "lab") -> bool:
    """Ends everything that ``up`` made, by its identity. False when there was no such lab. Raises SlowlinkError."""
    state = load(name)
    if state is None:
        return False
    _remove(state)
    return True


def _remove(state: State) -> None:
    left = hosts.end_hosts(state.hosts)
    left += process.end(state.processes())
    if left:
        pids = ", ".join(str(one.pid) for one in left)
        raise SlowlinkError(
            f"processes {pids} of lab '{state.name}' do not end", hint="run slowlink lab down again", slug="lab-down"
        )
    own = directory(state.name)
    shutil.rmtree(own, ignore_errors=True)
    try:
        own.parent.rmdir()
    except OSError:
        return  # another lab is there
