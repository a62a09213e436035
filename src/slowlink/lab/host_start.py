"""Process 1 of a lab host: makes its file system its own, then becomes the sshd. Started by ``lab.host``."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
from pathlib import Path

_BIND, _REC = 4096, 16384
"""MS_BIND and MS_REC of mount(2)."""

OWN = {"/tmp": "mode=1777", "/run": "mode=755", "/dev/shm": "mode=1777"}  # noqa: S108
"""What no two hosts may share: process ids are the same on all of them, and so are the names of their sockets."""


def mount(source: str, target: str, kind: str | None = None, flags: int = 0, options: str = "") -> None:
    """mount(2). Raises OSError with the target."""
    libc = ctypes.CDLL(None, use_errno=True)
    words = [None if word is None else word.encode() for word in (source, target, kind)]
    if libc.mount(*words, ctypes.c_ulong(flags), options.encode()) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), target)


def main() -> None:
    """Reads what to do from the JSON document in the first argument."""
    wanted = json.loads(sys.argv[1])
    socket.sethostname(wanted["hostname"])
    # What is hidden below is kept open, and comes back through its descriptor.
    shared = {path: os.open(path, os.O_PATH) for path in wanted["share"]}
    cgroups = os.open("/sys/fs/cgroup", os.O_PATH) if os.path.isdir("/sys/fs/cgroup") else None  # noqa: PTH112
    for path, options in OWN.items():
        mount("tmpfs", path, "tmpfs", options=options)
    for path, descriptor in shared.items():
        Path(path).mkdir(parents=True, exist_ok=True)
        mount(f"/proc/self/fd/{descriptor}", path, flags=_BIND | _REC)
    # /sys shows the network of whoever mounts it; slurmd wants the cgroups that lie below the old one.
    mount("sysfs", "/sys", "sysfs")
    if cgroups is not None:
        mount(f"/proc/self/fd/{cgroups}", "/sys/fs/cgroup", flags=_BIND | _REC)
    if Path(wanted["ssh_home"]).is_dir():
        mount("tmpfs", wanted["ssh_home"], "tmpfs", options="mode=700")
    for target, source in wanted["mounts"].items():
        if Path(target).exists():
            mount(source, target, flags=_BIND)
    Path("/run/sshd").mkdir()
    os.chdir("/")
    os.execv(wanted["argv"][0], wanted["argv"])  # noqa: S606


if __name__ == "__main__":
    main()
