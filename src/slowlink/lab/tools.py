"""The programs that make a lab: checks that they are here, and runs them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import IO

from slowlink.errors import SlowlinkError

PACKAGES: Mapping[str, str] = {
    "ip": "iproute2",
    "tc": "iproute2",
    "nsenter": "util-linux",
    "unshare": "util-linux",
    "sshd": "openssh-server",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
}
"""Program -> package that brings it (Debian and Ubuntu; other distributions name them alike)."""

_PATH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin", "/sbin"))
"""sshd and tc are often only on root's path."""


def find(program: str) -> str | None:
    """Absolute path of a program, also where the user's path does not lead."""
    return shutil.which(program, path=_PATH)


def check_machine() -> None:
    """Raises SlowlinkError when no lab can be made here, with everything that is missing."""
    if not sys.platform.startswith("linux"):
        raise SlowlinkError(
            "a lab is made of Linux namespaces", hint="run it on a Linux machine or in a virtual one", slug="lab-linux"
        )
    if os.geteuid() != 0:
        raise SlowlinkError("a lab needs root to make hosts", hint="sudo slowlink lab up", slug="lab-root")
    missing = [program for program in PACKAGES if find(program) is None]
    if missing:
        packages = sorted({PACKAGES[program] for program in missing})
        raise SlowlinkError(
            f"a lab needs {', '.join(missing)}", hint=f"apt-get install {' '.join(packages)}", slug="lab-tools"
        )


def call(argv: Sequence[str], stdin: str = "") -> str:
    """Runs a program to its end and returns what it printed. Raises SlowlinkError with its own words when it fails."""
    done = subprocess.run(  # noqa: S603  (a list, never a shell)
        [find(argv[0]) or argv[0], *argv[1:]], input=stdin, capture_output=True, text=True, check=False, timeout=30
    )
    if done.returncode:
        words = (done.stderr or done.stdout).strip()[:500]
        raise SlowlinkError(f"{' '.join(argv)[:200]}: exit status {done.returncode}: {words}", slug="lab-command")
    return done.stdout


def start(argv: Sequence[str], output: IO[bytes] | int, env: Mapping[str, str] | None = None) -> int:
    """Starts a program that outlives us, in a session of its own; returns its pid."""
    process = subprocess.Popen(  # noqa: S603
        [find(argv[0]) or argv[0], *argv[1:]],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env=env,
        cwd="/",
    )
    # It is ended by its identity, by us or by a later command: subprocess must not wait for it.
    process.returncode = 0
    return process.pid
