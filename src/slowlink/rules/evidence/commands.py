"""Commands of remedies. People paste them into the shells of root, and the names in them come from logs.

So a command is made of words, never of text: ``command`` quotes each of them. A value from a log only becomes a word
if it looks like what it is said to be; otherwise a word in capitals stands for it, and the finding shows it as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import ip_address

from slowlink.patterns import regex
from slowlink.quoting import quote

_NODE = regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,252}")
_NODES = regex(r"[A-Za-z0-9_][A-Za-z0-9_.,\[\]-]{0,4000}")
_HCA = regex(r"[A-Za-z][A-Za-z0-9_]{0,60}")
_INTERFACE = regex(r"[A-Za-z0-9_][A-Za-z0-9_.@:-]{0,30}")
_PCI = regex(r"(?:[0-9A-Fa-f]{4,8}:)?[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}(?:\.[0-7])?")
_VARIABLE = regex(r"[A-Z][A-Z0-9_]{0,100}")
_VALUE = regex(r"[A-Za-z0-9_^=+.,:/@%][A-Za-z0-9_^=+.,:/@%-]{0,200}")
_ASSIGNED = regex(r"[A-Z][A-Z0-9_]{0,100}=[A-Za-z0-9_,.%/:-]{1,200}")
_JOB = regex(r"[0-9]{1,18}(?:[_.+][0-9A-Za-z]{1,20}){0,2}")
_PATH = regex(r"/[A-Za-z0-9_.+@:=,/-]{0,400}")
_DESCRIPTION = regex(r"[A-Za-z0-9_][A-Za-z0-9_ .:/()+-]{0,127}")
_FILE = regex(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,120}")


def command(*words: str) -> str:
    """One command, ready to copy into a POSIX shell or zsh."""
    return quote(words)


def piped(*commands: str) -> str:
    """Commands of which each reads what the one before it prints."""
    return " | ".join(commands)


def one_after_another(*commands: str) -> str:
    """Commands on one line."""
    return "; ".join(commands)


def export(name: str, value: str) -> str:
    """``export NCCL_IB_HCA='^=mlx5_2'``: a variable for all that the shell starts from here on."""
    shown, _, found = as_assignment(name, value).partition("=")
    return f"export {shown}={quote([found])}"


def export_from(name: str, variable: str, before: str = "") -> str:
    """``export LD_LIBRARY_PATH="/path/to/lib:$LD_LIBRARY_PATH"``: what another variable holds, behind ``before``, which
    is no text of a log."""
    return f'export {as_variable(name)}="{before}${as_variable(variable)}"'


def exported(text: str) -> str:
    """``export NCCL_DEBUG=INFO`` for assignments alone, and for those before the job's own command (``...``): pasted as
    it stands it holds for the job that this shell starts next."""
    words = text.removesuffix(" ...").split(" ")
    return f"export {' '.join(words)}" if all(_ASSIGNED.fullmatch(word) for word in words) else text


def as_node(name: str | None) -> str:
    """A node's name, or ``NODE``."""
    return name if name and _NODE.fullmatch(name) else "NODE"


def as_nodes(folded: str) -> str:
    """A node set (``gpu[01-16]``), or ``NODES``."""
    return folded if _NODES.fullmatch(folded) else "NODES"


def as_hca(name: str | None) -> str:
    """An RDMA device of the kernel (``mlx5_0``; of ``mlx5_0/1`` the front), or ``HCA``."""
    device = (name or "").partition("/")[0]
    return device if _HCA.fullmatch(device) else "HCA"


def only_these_hcas(names: Iterable[str] = ()) -> str:
    """What ``NCCL_IB_HCA`` takes for these devices and no others (``=mlx5_2,mlx5_3``), or ``=HCA,HCA``."""
    return "=" + (",".join(as_hca(name) for name in names) or "HCA,HCA")


def as_device(name: str | None) -> str:
    """An RDMA device by its name or its PCI address, as mlxlink takes both; or ``HCA``."""
    return name if name and _PCI.fullmatch(name) else as_hca(name)


def as_interface(name: str | None) -> str:
    """A network interface, or ``INTERFACE``."""
    return name if name and _INTERFACE.fullmatch(name) else "INTERFACE"


def as_address(text: str | None) -> str:
    """An IP address or a host's name, or ``ADDRESS``."""
    bare, _, zone = (text or "").partition("%")
    try:
        return str(ip_address(bare)) + (f"%{as_interface(zone)}" if zone else "")
    except ValueError:
        return text if text and _NODE.fullmatch(text) else "ADDRESS"


def as_pci_address(text: str | None) -> str:
    """``0000:3b:00.0``, or ``PCI_ADDRESS``."""
    return text if text and _PCI.fullmatch(text) else "PCI_ADDRESS"


def as_variable(name: str | None) -> str:
    """The name of an environment variable, or ``VARIABLE``."""
    return name if name and _VARIABLE.fullmatch(name) else "VARIABLE"


def as_assignment(name: str | None, value: str | None) -> str:
    """``NAME=value``, or ``NAME=VALUE`` for a value that no setting has."""
    return f"{as_variable(name)}={value if value and _VALUE.fullmatch(value) else 'VALUE'}"


def as_job(text: str | None) -> str:
    """The number of a Slurm job, or ``JOB``."""
    return text if text and _JOB.fullmatch(text) else "JOB"


def as_file_name(path: str | None) -> str:
    """The last part of a path, or ``FILE``."""
    last = (path or "").rpartition("/")[2]
    return last if _FILE.fullmatch(last) else "FILE"


def as_path(text: str | None) -> str:
    """A whole path, or ``PATH``."""
    return text if text and _PATH.fullmatch(text) else "PATH"


def as_description(text: str | None) -> str:
    """What a switch or a node is called in an InfiniBand fabric (``leaf 3``), or ``NODE``."""
    return text if text and _DESCRIPTION.fullmatch(text) else "NODE"


def as_benchmark(collective: str | None) -> str:
    """The program of nccl-tests for a collective: ``all_reduce_perf``; that one, too, where it is not known."""
    return f"{collective if collective and _HCA.fullmatch(collective) else 'all_reduce'}_perf"
