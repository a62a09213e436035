"""Files that every host of a lab is given: its own keys and names, nothing of the user's."""

from __future__ import annotations

from pathlib import Path

from slowlink.lab.state import State
from slowlink.lab.tools import call, find

_SSHD = """\
Port 22
ListenAddress 0.0.0.0
HostKey {own}/host_key
AuthorizedKeysFile {own}/key.pub
PidFile none
UsePAM no
UseDNS no
PasswordAuthentication no
PermitRootLogin prohibit-password
StrictModes no
PrintMotd no
PrintLastLog no
MaxStartups 200:30:400
MaxSessions 100
KexAlgorithms curve25519-sha256
Subsystem sftp internal-sftp
"""

_SSH = """\
Host *
  IdentityFile {own}/key
  IdentitiesOnly yes
  StrictHostKeyChecking accept-new
  UserKnownHostsFile {own}/known_hosts
  GlobalKnownHostsFile none
  BatchMode yes
  ConnectTimeout 5
  LogLevel ERROR
"""


def write_files(own: Path, state: State) -> None:
    """Writes what all hosts share into the lab's directory: keys of its users and of its hosts, names."""
    for key in ("key", "host_key"):
        call(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"slowlink lab {state.name}", "-f", str(own / key)])
    names = "".join(f"{host.address} {host.name}\n" for host in state.hosts)
    (own / "hosts").write_text(f"127.0.0.1 localhost\n{names}")
    (own / "sshd_config").write_text(_SSHD.format(own=own))
    (own / "ssh_config").write_text(_SSH.format(own=own))
    for host in state.hosts:
        (own / f"{host.name}.hostname").write_text(f"{host.name}\n")


def mounts(own: Path, state: State, host_name: str) -> dict[str, str]:
    """Path on the host -> file or directory of this machine that lies there instead."""
    home = Path.home()
    return {
        "/etc/hosts": str(own / "hosts"),
        "/etc/hostname": str(own / f"{host_name}.hostname"),
        "/etc/ssh/ssh_config": str(own / "ssh_config"),
        # Start-up files of the user's shell slow every login down, and some print.
        str(home / ".bashrc"): "/dev/null",
        **state.binds,
    }


def sshd_command(own: Path) -> list[str]:
    return [find("sshd") or "sshd", "-D", "-e", "-f", str(own / "sshd_config")]
