"""Programs of the machine, by name."""

from __future__ import annotations

import pytest

from slowlink.catalog.programs.system_programs import is_system_program


@pytest.mark.parametrize(
    "name", ["sshd", "sshd-session", "systemd-journald", "/usr/libexec/gvfsd-fuse", "gnome-shell[1711]", "Xorg", "cron"]
)
def test_daemons_and_desktops(name: str) -> None:
    assert is_system_program(name)


@pytest.mark.parametrize(
    "name", ["python3", "train", "all_reduce_perf", "slurmstepd", "nv-fabricmanager", "orted", "codec", ""]
)
def test_jobs_and_what_they_need(name: str) -> None:
    assert not is_system_program(name)
