"""A simulated node on disk: a root with its kernel files, and programs that print what its tools would."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from shlex import quote

from slowlink.simulate.node_state import (
    kernel_log_output,
    lspci_output,
    mx_smi_output,
    nvidia_smi_output,
    rdma_output,
)
from slowlink.simulate.node_state.description import SimulatedNode, Vendor
from slowlink.simulate.node_state.kernel_files import kernel_files

Answers = dict[str, Mapping[str, Callable[[SimulatedNode], str]]]
"""Program -> its arguments, as a pattern of the shell's -> what it prints."""

_NVIDIA: Answers = {
    "nvidia-smi": {
        "-q": nvidia_smi_output.query,
        "-L": nvidia_smi_output.list_gpus,
        "pmon -c 1 -s um": nvidia_smi_output.monitor,
        "nvlink -s": nvidia_smi_output.nvlink_state,
        "nvlink -e": nvidia_smi_output.nvlink_errors,
        "topo -m": nvidia_smi_output.topology,
    }
}
_METAX: Answers = {"mx-smi": {"": mx_smi_output.table}}
_ALL: Answers = {
    "lspci": {"*v*": lspci_output.verbose, "*": lspci_output.brief},
    "dmesg": {"*": kernel_log_output.kernel_log},
    "ibstat": {"": rdma_output.ibstat},
    "ibv_devinfo": {"": rdma_output.ibv_devinfo},
    "rdma": {"link show": rdma_output.rdma_link},
}
_DISPATCH = """\
#!/bin/sh
# Stands for {name}: prints what it would print on this host.
case "$*" in
{cases}
*) echo "{name}: no answer to $* here" >&2; exit 2 ;;
esac
"""


def write_root(node: SimulatedNode, root: Path) -> None:
    """Write the kernel files below ``root``."""
    for path, text in kernel_files(node).items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def write_answers(node: SimulatedNode, folder: Path) -> None:
    """Write what the node's tools print into ``folder``: a file for each question."""
    folder.mkdir(parents=True, exist_ok=True)
    for program, answers in (_ALL | _of(node.vendor)).items():
        for number, text in enumerate(answers.values()):
            (folder / f"{program}.{number}").write_text(text(node), encoding="utf-8")


def write_programs(folder: Path, answers: str, vendor: Vendor = "nvidia") -> None:
    """Write the programs into ``folder``. ``answers``: where they find their answers; each host has its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, known in (_ALL | _of(vendor)).items():
        cases = "\n".join(
            f"{_pattern(words)}) cat {quote(answers)}/{name}.{number} ;;" for number, words in enumerate(known)
        )
        path = folder / name
        path.write_text(_DISPATCH.format(name=name, cases=cases), encoding="utf-8")
        path.chmod(0o755)


def _of(vendor: Vendor) -> Answers:
    return _NVIDIA if vendor == "nvidia" else _METAX


def _pattern(words: str) -> str:
    return words if "*" in words else quote(words)
