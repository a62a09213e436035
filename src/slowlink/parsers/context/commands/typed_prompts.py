"""A prompt that is little but a node's short name and a mark: ``q7 $ ibstat``, ``node07# dmesg -T``, ``[node07]$ ls``,
``node07> ibstat``, ``node07:/root$ ibstat``, ``me@node07 $ ibstat``.

People set such prompts for notes and for loops over nodes. ``size # in bytes`` and ``total $ 2.50`` look alike, so what
follows must be typed: a program that people ask nodes with, or any that goes on with an option, a path or a pipe.
"""

from __future__ import annotations

from typing import NamedTuple

from slowlink.parsers.forms.fronts.node_headings import may_have_kind
from slowlink.patterns import regex

PROMPT = regex(
    r"\s{0,8}[\[(<]?(?:[\w.-]{1,64}@)?(?P<name>[A-Za-z][\w.-]{1,60})(?:[: ]?[~/][\w./~-]{0,120})?[\])]? ?"
    r"(?P<mark>[#$%>❯]|>>) {1,8}(?:sudo )?"
    r"(?P<program>[A-Za-z./~][\w./+~-]{0,200})(?P<rest>(?:[ ;|].{0,2000})?)$"
)
_PROGRAMS = frozenset(
    {
        *("ibstat", "ibstatus", "ibv_devinfo", "ibv_devices", "ibdev2netdev", "iblinkinfo", "ibnetdiscover", "ibhosts"),
        *("ibqueryerrors", "perfquery", "sminfo", "show_gids", "show_counters", "rdma", "mlxlink", "mlxconfig"),
        *("mlnx_qos", "mst", "flint", "mlxfwmanager", "ethtool", "ip", "ifconfig", "ping", "lldptool", "dcb", "ss"),
        *("nvidia-smi", "dcgmi", "rocm-smi", "amd-smi", "rocminfo", "nvbandwidth", "lspci", "lscpu", "numactl"),
        *("numastat", "dmesg", "journalctl", "systemctl", "uname", "hostname", "uptime", "free", "df", "mount", "top"),
        *("ps", "cat", "grep", "egrep", "zgrep", "head", "tail", "ls", "lsmod", "modinfo", "modprobe", "sysctl"),
        *("ulimit", "env", "export", "date", "for", "watch", "cpupower", "turbostat", "ipmitool", "ofed_info"),
        *("mpirun", "mpiexec", "srun", "torchrun", "ssh", "pdsh", "clush", "docker", "kubectl", "python", "python3"),
        *("ucx_info", "fi_info", "iperf3", "nc", "bash", "sh", "echo", "cd", "lsof", "vmstat", "mpstat", "sar"),
    }
)
"""What is typed on nodes to ask them; other programs are known by how their arguments look."""
_WORDS_TOO = frozenset({"date", "env", "export", "for", "free", "head", "ip", "mount", "top", "watch", "echo", "tail"})
"""Programs whose names are words of sentences, too: behind ``#`` their arguments must show them."""
_TYPED = regex(r"(?:[^\n]{0,300}[ (])?(?:--?[A-Za-z]|\.{0,2}/\w|~/|\| ?\w|\d?> ?[\w/]|&& ?\w|\$[\w({])")
_SHELL = regex(r"(?:ba|z|k|da|c|tc|fi)?sh-?\d.{0,20}")
"""``bash-5.1$`` names the shell."""
_NUMBERED = regex(r"\d|[-_][A-Za-z]$")
_LETTER_FIRST = regex(r"[A-Za-z](?:\d{1,6}[\w.-]{0,40})?")


class ShortPrompt(NamedTuple):
    """Who was asked, and what was typed."""

    name: str
    command: str


def short_prompt(text: str) -> ShortPrompt | None:
    """None where the line is anything else, or does not go on like a command."""
    found = PROMPT.match(text)
    if (
        found is None
        or not _may_be_node(found["name"])
        or not _is_typed(found["mark"], found["program"], found["rest"].strip())
    ):
        return None
    return ShortPrompt(found["name"], text[found.end("mark") :].strip())


def _may_be_node(name: str) -> bool:
    """A name with a number or a letter of its own, as nodes of a cluster have. ``q7`` and ``h200-9`` are questions and
    models elsewhere; what people type commands behind is a host's name."""
    if _SHELL.fullmatch(name) is not None or _NUMBERED.search(name) is None:
        return False
    return may_have_kind(name) or (_LETTER_FIRST.fullmatch(name) is not None and len(name) > 1)


def _is_typed(mark: str, program: str, rest: str) -> bool:
    """A comment behind a name is words; a command is a known program, a path, or has arguments of its kind."""
    if program.startswith(("./", "/", "~/")) and len(program) > 3:
        return True
    base = program.rpartition("/")[2]
    if base in _PROGRAMS and (mark != "#" or base not in _WORDS_TOO):
        return True
    return program[:1].islower() and bool(rest) and _TYPED.match(rest) is not None
