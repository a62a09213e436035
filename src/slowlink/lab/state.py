"""What is known about a lab: a directory with a JSON file that names every process by pid and start time."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
from pathlib import Path
from typing import Any

from msgspec import Struct, field, to_builtins

from slowlink.errors import SlowlinkError
from slowlink.lab.process import Process, alive

_FILE = "lab.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")


class Host(Struct):
    """One host of the lab."""

    name: str
    address: str
    number: int
    """From 1; its port on the bridge is ``port<number>``."""
    holder: Process | None = None
    """Holds the namespaces; the host dies with it."""
    init: Process | None = None
    """Process 1 of the host, its sshd."""
    slow: str | None = None
    """Rate of its link as tc writes it; None: as fast as this machine."""
    paths: dict[str, str] = field(default_factory=dict)
    """Address of another host -> rate of what goes there."""
    cut: bool = False
    killed: bool = False
    load: list[Process] = field(default_factory=list)

    @property
    def port(self) -> str:
        return f"port{self.number}"

    @property
    def up(self) -> bool:
        return self.init is not None and alive(self.init)


class State(Struct):
    """A lab, as its file has it."""

    name: str
    boot: str
    """Identity of the boot: after a restart of this machine no process of the file exists."""
    share: list[str]
    """Directories below /tmp, /run and /dev/shm that hosts see although theirs are their own."""
    binds: dict[str, str] = field(default_factory=dict)
    """Path on every host -> what lies there instead."""
    fabric: Process | None = None
    """Holds the network namespace with the bridge."""
    hosts: list[Host] = field(default_factory=list)
    ends_with: int | None = None
    """Pid of the process whose end, however it comes, ends the hosts that it started; None: they outlive it."""

    def host(self, name: str) -> Host:
        """The host of this name. Raises SlowlinkError."""
        for host in self.hosts:
            if host.name == name:
                return host
        known = f"{self.hosts[0].name} to {self.hosts[-1].name}" if self.hosts else "none"
        raise SlowlinkError(f"lab '{self.name}' has no host '{name}'", hint=f"hosts: {known}", slug="lab-no-host")

    def processes(self) -> list[Process]:
        """Every process that the lab itself made."""
        found = [process for host in self.hosts for process in (host.init, host.holder, *host.load)]
        return [process for process in (*found, self.fabric) if process]


def boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def directory(name: str) -> Path:
    """Where the lab of this name keeps its state. Raises SlowlinkError for a name that is no name."""
    if not _NAME.fullmatch(name):
        raise SlowlinkError(f"'{name}' is no name for a lab", hint="letters, digits, - and _", slug="lab-bad-name")
    return _labs() / name


def names() -> list[str]:
    """Labs that have state on this machine."""
    labs = _labs()
    return sorted(entry.name for entry in labs.iterdir()) if labs.is_dir() else []


def _labs() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    parent = Path(runtime) if runtime and Path(runtime).is_dir() else Path(tempfile.gettempdir())
    return parent.resolve() / f"slowlink-lab-{os.getuid()}"


def claim(name: str) -> Path:
    """Makes the directory of a new lab. Raises SlowlinkError when the lab is up already."""
    own = directory(name)
    own.parent.mkdir(mode=0o700, exist_ok=True)
    _check_ours(own.parent)
    try:
        own.mkdir(mode=0o700)
    except FileExistsError:
        raise SlowlinkError(
            f"lab '{name}' is up already", hint=f"slowlink lab down --name {name}, or another --name", slug="lab-exists"
        ) from None
    return own


def _check_ours(path: Path) -> None:
    """The temporary directory is everybody's: what another user put there must not tell root what to kill."""
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise SlowlinkError(
            f"{path} is not ours alone",
            hint="remove it, or set XDG_RUNTIME_DIR to a directory of yours",
            slug="lab-dir",
        )


def save(state: State) -> None:
    """Writes the state at once or not at all: a lab that is killed while it comes up can still be taken down."""
    path = directory(state.name) / _FILE
    new = path.with_suffix(".new")
    new.write_text(json.dumps(to_builtins(state), indent=1))
    new.replace(path)


def load(name: str) -> State | None:
    """The state of a lab; None when there is none. A file that cannot be read counts as a lab without processes."""
    own = directory(name)
    if not own.is_dir():
        return None
    _check_ours(own.parent)
    _check_ours(own)
    try:
        state = _state(json.loads((own / _FILE).read_text()))
    except (OSError, ValueError, KeyError, TypeError):
        return State(name, boot_id(), [])
    return state if state.boot == boot_id() else State(name, boot_id(), [])


def get(name: str) -> State:
    """The state of a lab that is up. Raises SlowlinkError."""
    state = load(name)
    if state is None or not state.hosts:
        raise SlowlinkError(f"lab '{name}' is not up", hint=f"slowlink lab up --name {name}", slug="lab-not-up")
    return state


def living(state: State, node: str) -> Host:
    host = state.host(node)
    if not host.up:
        raise SlowlinkError(
            f"{node} is dead", hint=f"slowlink lab join {node} --name {state.name} starts it anew", slug="lab-host-dead"
        )
    return host


def fabric_pid(state: State) -> int:
    if state.fabric is None or not alive(state.fabric):
        raise SlowlinkError(
            f"the network of lab '{state.name}' is gone",
            hint=f"slowlink lab down --name {state.name}",
            slug="lab-broken",
        )
    return state.fabric.pid


def _state(document: dict[str, Any]) -> State:
    hosts = []
    for host in document.pop("hosts"):
        host["holder"], host["init"] = _process(host["holder"]), _process(host["init"])
        host["load"] = [Process(**process) for process in host["load"]]
        hosts.append(Host(**host))
    fabric = _process(document.pop("fabric"))
    return State(**document, fabric=fabric, hosts=hosts)


def _process(document: dict[str, int] | None) -> Process | None:
    return Process(**document) if document else None
