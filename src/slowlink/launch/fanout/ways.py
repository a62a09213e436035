"""How a shell on a node is reached: here, by ssh, as a step of Slurm, inside a pod. It reads its script from stdin."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Protocol

from msgspec import Struct

from slowlink.errors import SlowlinkError
from slowlink.launch.hostfiles import target
from slowlink.launch.mpi_flags import SSH_OPTIONS
from slowlink.model.plan import Node

SHELL = ("sh", "-s")
_SSH_FAILED = 255


class Way(Protocol):
    """One way to all nodes. Pure."""

    name: ClassVar[str]

    def argv(self, node: Node) -> tuple[str, ...]:
        """The program that is started here, with the node's shell at its end."""

    def lost(self, status: int, stderr: str) -> bool:
        """Did the way itself fail, and not the script? Asked for every status but 0."""


class Here(Struct, frozen=True):
    """A shell of this machine."""

    name: ClassVar[str] = "local"

    def argv(self, node: Node) -> tuple[str, ...]:  # noqa: ARG002  (every node is this machine)
        return SHELL

    def lost(self, status: int, stderr: str) -> bool:  # noqa: ARG002
        return False


class OverSsh(Struct, frozen=True):
    """One ssh(1) for each node: the user's configuration, agent and jump hosts count."""

    program: str = "ssh"
    name: ClassVar[str] = "ssh"

    def argv(self, node: Node) -> tuple[str, ...]:
        user = ("-l", node.user) if node.user else ()
        port = ("-p", str(node.port)) if node.port else ()
        return (self.program, *SSH_OPTIONS, *_QUIET, *user, *port, "--", target(node), *SHELL)

    def lost(self, status: int, stderr: str) -> bool:  # noqa: ARG002
        return status == _SSH_FAILED


_QUIET = (
    # A banner is no answer; a master connection that stays behind would be a process that we left.
    *("-o", "LogLevel=ERROR"),
    *("-o", "ControlMaster=no"),
    "-T",
    "-x",
)


class OverSlurm(Struct, frozen=True):
    """One step of one task for each node, beside whatever runs there: one that fails does not end the others."""

    program: str = "srun"
    name: ClassVar[str] = "slurm"

    def argv(self, node: Node) -> tuple[str, ...]:
        where = ("--nodes=1", "--ntasks=1", f"--nodelist={node.name}")
        beside = ("--overlap", "--mem=0", "--cpu-bind=none", "--mpi=none", "--immediate=60", "--quiet", "--unbuffered")
        return (self.program, "--job-name=slowlink", *where, *beside, "--export=ALL", *SHELL)

    def lost(self, status: int, stderr: str) -> bool:  # noqa: ARG002
        return re.search(r"^(?:srun|slurmstepd): error: (?!\S{1,255}: task)", stderr, re.MULTILINE) is not None


class OverKubernetes(Struct, frozen=True):
    """``kubectl exec`` into a pod; a node's address is the name of its pod."""

    program: str = "kubectl"
    context: str | None = None
    namespace: str | None = None
    container: str | None = None
    name: ClassVar[str] = "kubernetes"

    def argv(self, node: Node) -> tuple[str, ...]:
        given = (("context", self.context), ("namespace", self.namespace))
        flags = tuple(f"--{name}={value}" for name, value in given if value)
        container = (f"--container={self.container}",) if self.container else ()
        return (self.program, *flags, "exec", "--stdin", *container, target(node), "--", *SHELL)

    def lost(self, status: int, stderr: str) -> bool:  # noqa: ARG002
        return (
            "command terminated with exit code" not in stderr or "exit code 126" in stderr or "exit code 127" in stderr
        )


def way_of(
    name: str,
    programs: Mapping[str, str],
    *,
    context: str | None = None,
    namespace: str | None = None,
    container: str | None = None,
) -> Way:
    """The way that a launcher's name stands for. Raises SlowlinkError: ``no-ssh``, ``no-srun``, ``no-kubectl``."""
    if name == "local":
        return Here()
    program, hint = {
        "ssh": ("ssh", "install the OpenSSH client"),
        "slurm": ("srun", "load Slurm's programs, or use --on ssh"),
        "kubernetes": ("kubectl", "install kubectl 1.28 or newer"),
    }.get(name, ("", ""))
    if not program:
        raise SlowlinkError(
            f"there is no way to nodes by {name!r}",
            hint="one of kubernetes, local, slurm, ssh",
            slug="unknown-launcher",
        )
    path = programs.get(program)
    if path is None:
        raise SlowlinkError(f"there is no {program} on PATH", hint=hint, slug=f"no-{program}")
    if name == "ssh":
        return OverSsh(path)
    return OverSlurm(path) if name == "slurm" else OverKubernetes(path, context, namespace, container)
