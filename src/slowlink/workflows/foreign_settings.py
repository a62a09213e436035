"""Which settings of somebody else's job may be taken: what tunes communication, and nothing that reaches out of it.

A list of what is dangerous is never whole: every library has words of its own for a driver, a hook or a file. So a
value must look like what a tune needs (numbers, switches, names of algorithms, devices, interfaces, networks), and one
that is a path is left out unless its name is known to be harmless. Names are judged beside that: a word without a slash
is still a file or a directory below where we are, and a program is found by its name alone.
"""

from __future__ import annotations

import re

_ONLY_READ = frozenset(
    {
        "NCCL_TOPO_FILE",
        "NCCL_GRAPH_FILE",
        "OMPI_MCA_hwloc_base_topo_file",
        "OMPI_MCA_coll_tuned_dynamic_rules_filename",
    }
)
"""Files of plain facts and rules that nobody writes, whatever their place."""
_STARTS_PROGRAMS = re.compile(
    r"PRTE_MCA_\w+|UCX_HANDLE_ERRORS|\w+_env_list(?:_\w+)?"
    r"|\w+_(?:agents?|commands?|cmd|exec|launch(?:er)?|args?|arguments|opts?|options|mail_to)(?:_\w+)?",
    re.IGNORECASE,
)
"""What the launcher of the other job starts on its way to a rank, and the options it gives that (``ssh`` and ``srun``
start what theirs say); UCX starts a debugger where an error is to be handled so. Ours has a launcher of its own."""
_OPEN_MPI = "OMPI_MCA_"
_COMMUNICATES = re.compile(
    r"OMPI_MCA_(?:accelerator|allocator|bml|btl|coll|common|hwloc|memory|mpi|mpool|mtl|op|opal|osc|part|pml|rcache"
    r"|reachable|smsc|topo)(?:_\w+)?"
)
"""Open MPI's frameworks that move data. The others start processes (plm, odls, ras, rmaps ...) or say where its
components and files of parameters lie (mca_base)."""
_IS_DIRECTORY = re.compile(r"\w+_(?:\w*base)?(?:paths?|dirs?|directory|conf|config)", re.IGNORECASE)
"""Where code is loaded from: any word is a directory below where we are."""
_IS_FILE = re.compile(
    r"\w*file(?:s|_?(?:names?|prefix(?:es)?|template|base|path))?"
    r"|\w+_(?:dest|destination|outputs?|dump|pipe)"
    r"|\w*core_?dump\w*",
    re.IGNORECASE,
)
"""A file that a rank makes, over whatever has that name, unless it is a stream."""
_STREAM = re.compile(r"(?:stdout|stderr|none|[01-]|)", re.IGNORECASE)
_NETWORK = re.compile(r"\^?(?:\d+(?:\.\d+){0,3}|[0-9a-f:.]*:[0-9a-f:.]*)/\d+(?:\.\d+){0,3}", re.IGNORECASE)
_LIBRARY = re.compile(r"\w+_(?:plugins?|lib(?:s|rary|raries)?|modules?|tools?|drivers?)(?:_\w+)?", re.IGNORECASE)
_IS_LIBRARY = re.compile(r"\.so(?![A-Za-z0-9])")


def reaches_out(name: str, value: str) -> bool:
    """Whether a setting makes a launcher or a library start a program, load code from a place that it names, or write
    over a file."""
    if _STARTS_PROGRAMS.fullmatch(name) or (name.startswith(_OPEN_MPI) and not _COMMUNICATES.fullmatch(name)):
        return True
    if name in _ONLY_READ:
        return False
    if (_IS_DIRECTORY.fullmatch(name) and value) or (_IS_FILE.fullmatch(name) and not _STREAM.fullmatch(value)):
        return True
    return _is_path(value) or (_IS_LIBRARY.search(value) is not None and not _LIBRARY.fullmatch(name))


def _is_path(value: str) -> bool:
    """A library without a slash is found where this machine keeps libraries, not where the job says."""
    if "/" not in value:
        return value.startswith("~")
    return any("/" in part and not _NETWORK.fullmatch(part.strip()) for part in re.split(r"[,;]", value))
