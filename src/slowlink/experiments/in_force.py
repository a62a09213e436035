"""Which settings a library says that it read.

NCCL announces them itself (``NCCL_DEBUG=INFO``), and its log has parsers of its own. Open MPI prints what it took from
the environment where ``mpi_show_mca_params`` asks for it; a parameter that it does not know, or whose component it did
not open, is not there. UCX names variables of its own that nothing used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

ASKING = {
    "openmpi": {"OMPI_MCA_mpi_show_mca_params": "enviro"},
    "nccl": {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,ENV,NET"},
    "ucx": {"UCX_LOG_LEVEL": "info"},
}
"""Variables that make a library say it."""
_OPENMPI = re.compile(r"^\[[^\]\s]{1,200}\] (\w{1,200})=(.{0,2000}?) \(environment\)$", re.MULTILINE)
_TRUE, _FALSE = ("1", "true", "t", "yes", "y", "enabled"), ("0", "false", "f", "no", "n", "disabled")


def openmpi_settings(text: str) -> dict[str, tuple[str, ...]]:
    """Variable -> values, as the first rank prints them. Empty where it was not asked to."""
    found: dict[str, list[str]] = {}
    for name, value in _OPENMPI.findall(text):
        found.setdefault(f"OMPI_MCA_{name}", []).append(value)
    return {name: tuple(dict.fromkeys(values)) for name, values in found.items()}


def is_seen(name: str, value: str, seen: Mapping[str, tuple[str, ...]]) -> bool:
    """Is this value in force? Open MPI prints ``true`` for 1."""
    return any(_same(value, each) for each in seen.get(name, ()))


def is_told(name: str, seen: Mapping[str, tuple[str, ...]], plain: Mapping[str, tuple[str, ...]]) -> bool:
    """Does a launch with this variable show something that launches without it do not? A library may call it by a newer
    name, or say its value in its own words: Open MPI shows ``mpi_abort_delay=0`` as ``opal_abort_delay=0``, and
    ``coll_base_verbose=0`` as ``coll_base_verbose=error``."""
    return bool(set(seen.get(name, ())) - set(plain.get(name, ()))) or bool(seen.keys() - plain.keys() - {name})


def _same(one: str, other: str) -> bool:
    one, other = one.strip().lower(), other.strip().lower()
    return one == other or any(one in words and other in words for words in (_TRUE, _FALSE))
