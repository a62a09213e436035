"""One host: namespaces of its own with an sshd as process 1; and how to enter them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from slowlink.errors import SlowlinkError
from slowlink.lab import host_start
from slowlink.lab.files import mounts, sshd_command
from slowlink.lab.process import Process, alive, await_end, children, end, identify, namespace
from slowlink.lab.state import Host, State
from slowlink.lab.tools import find, start

_PATIENCE_S = 10.0
_SSH_LISTENS = ("0016", "0A")
"""Port 22 and state LISTEN, as ``/proc/PID/net/tcp`` writes them."""

_NOT_INSIDE = {"TMPDIR", "TEMP", "TMP", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "DBUS_SESSION_BUS_ADDRESS"}
"""Variables that lead to what a host does not have: this machine's temporary files and the user's own keys."""

_SETTINGS = {
    # Hosts do not know that they share the cores of one machine: ranks that spin take them from one another,
    # and every host would bind its first rank to the same core. A rank that yields is at once the next again where only
    # its own host's processes stand in its queue; one that sleeps for the shortest time (some 50 us) lets others work.
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_threads_pthreads_yield_strategy": "nanosleep",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    # It waits a second for fabrics, in every rank, and no host has one.
    "OMPI_MCA_btl": "^ofi",
}


def start_fabric(state: State) -> Process:
    """Starts what holds the network namespace of the bridge."""
    pid = start([*_bound(state), "unshare", "--net", "--", "sleep", "infinity"], subprocess.DEVNULL)
    return _await(lambda: _entered(pid, "net"), "the network namespace of the bridge")


def start_host(own: Path, state: State, host: Host) -> None:
    """Starts the host's namespaces; fills ``host.holder``. It has no network yet; its sshd may still come up."""
    wanted = {
        "hostname": host.name,
        "share": state.share,
        "ssh_home": str(Path.home() / ".ssh"),
        "mounts": mounts(own, state, host.name),
        "argv": sshd_command(own),
    }
    kinds = ("--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
    program = [sys.executable, "-I", host_start.__file__, json.dumps(wanted)]
    environment = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(Path.home())}
    with (own / f"{host.name}.log").open("ab") as log:
        pid = start([*_bound(state), "unshare", *kinds, "--", *program], log.fileno(), environment)
    host.holder = identify(pid)
    host.init, host.killed, host.load = None, False, []


def _bound(state: State) -> list[str]:
    """What makes the kernel kill a holder when we end, where that is wanted and we are the process that is meant."""
    if state.ends_with != os.getpid() or find("setpriv") is None:
        return []
    return ["setpriv", "--pdeathsig", "KILL", "--"]


def await_namespaces(host: Host) -> None:
    """Waits until the host can be given a network. Raises SlowlinkError."""
    holder = host.holder
    if holder is not None:
        _await(lambda: _entered(holder.pid, "net"), f"the namespaces of {host.name}")


def await_sshd(own: Path, host: Host) -> None:
    """Waits until the host's sshd listens; fills ``host.init``. Raises SlowlinkError with what it printed."""
    try:
        host.init = _await(lambda: _listening(host), f"sshd on {host.name}")
    except SlowlinkError as error:
        said = (own / f"{host.name}.log").read_text(errors="replace").strip()[-500:]
        raise SlowlinkError(error.message, hint=said, slug=error.slug) from error


def end_hosts(ended: Sequence[Host]) -> list[Process]:
    """Ends these hosts with everything that runs on them. Returns the processes that are still there."""
    left = end([host.init for host in ended if host.init])
    holders = [host.holder for host in ended if host.holder]
    # A holder ends by itself once its host is dead. If it were killed first, nobody would ask for the host's end, and
    # the dead process would keep its namespace.
    return left + end(await_end(holders, 1.0) if not left else holders)


def enter(host: Host, argv: Sequence[str], cwd: str | None = None) -> list[str]:
    """The command line that runs ``argv`` on the host. Raises SlowlinkError when the host is dead."""
    if host.init is None or not alive(host.init):
        raise SlowlinkError(f"{host.name} is dead", hint=f"slowlink lab join {host.name}", slug="lab-host-dead")
    cwd = cwd or str(Path.cwd())
    if not Path(f"/proc/{host.init.pid}/root{cwd}").is_dir():
        cwd = "/"
    namespaces = ("--net", "--uts", "--ipc", "--pid", "--mount")
    nsenter = find("nsenter") or "nsenter"
    return [nsenter, "--target", str(host.init.pid), *namespaces, "--", "env", f"--chdir={cwd}", *argv]


def environment(host: Host, given: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command on the host, made from ``given``."""
    kept = {name: value for name, value in given.items() if name not in _NOT_INSIDE}
    return {**_SETTINGS, **kept, "HOSTNAME": host.name}


def await_child(pid: int) -> Process | None:
    """The program that ``enter`` runs below this nsenter; None when it has ended already."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline and identify(pid):
        found = [child for child in map(identify, children(pid)) if child]
        if found:
            return found[0]
        time.sleep(0.005)
    return None


def _await(ask: Callable[[], Process | None], what: str) -> Process:
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        answer = ask()
        if answer is not None:
            return answer
        time.sleep(0.01)
    raise SlowlinkError(f"{what} did not come up within {_PATIENCE_S:g} s", slug="lab-start")


def _entered(pid: int, kind: str) -> Process | None:
    """The process, once it is in a namespace of its own."""
    theirs = namespace(pid, kind)
    return identify(pid) if theirs is not None and theirs != namespace(os.getpid(), kind) else None


def _listening(host: Host) -> Process | None:
    if host.holder is None or not alive(host.holder):
        raise SlowlinkError(f"{host.name} ended while it came up", slug="lab-start")
    for pid in children(host.holder.pid):
        try:
            lines = Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
        except OSError:
            continue
        sockets = [line.split() for line in lines]
        if any((words[1].rpartition(":")[2], words[3]) == _SSH_LISTENS for words in sockets):
            return identify(pid)
    return None
