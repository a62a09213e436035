"""Programs that belong to the machine and not to a job, from ``system_programs.toml``."""

from __future__ import annotations

from functools import cache

from slowlink.catalog.load import table


def is_system_program(name: str) -> bool:
    """By its name or path, as a kernel log or a journal prints it: ``sshd``, ``gnome-shell[1711]``."""
    program = name.rpartition("/")[2].partition("[")[0].rstrip(":")
    exact, beginnings = _known()
    return program in exact or program.startswith(beginnings)


@cache
def _known() -> tuple[frozenset[str], tuple[str, ...]]:
    names = [name for entry in table("programs/system_programs.toml").values() for name in entry["names"]]
    exact = frozenset(name for name in names if not name.endswith("*"))
    return exact, tuple(name[:-1] for name in names if name.endswith("*"))
