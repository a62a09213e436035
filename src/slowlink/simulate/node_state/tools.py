"""A simulated node on disk: a root with its kernel files, and programs that print what its tools would."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from slowlink.simulate.node_state import lspci_output, nvidia_smi_output
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.simulate.node_state.kernel_files import kernel_files

_NVIDIA_SMI = {
    "-q": nvidia_smi_output.query,
    "-L": nvidia_smi_output.list_gpus,
    "pmon -c 1 -s um": nvidia_smi_output.monitor,
    "nvlink -s": nvidia_smi_output.nvlink_state,
    "nvlink -e": nvidia_smi_output.nvlink_errors,
    "topo -m": nvidia_smi_output.topology,
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
    for words, text in _NVIDIA_SMI.items():
        (folder / _file("nvidia-smi", words)).write_text(text(node), encoding="utf-8")
    (folder / _file("lspci", "vvv")).write_text(lspci_output.verbose(node), encoding="utf-8")
    (folder / _file("lspci", "brief")).write_text(lspci_output.brief(node), encoding="utf-8")


def write_programs(folder: Path, answers: str) -> None:
    """Write the programs into ``folder``. ``answers``: where each finds its answers, as a shell writes a path."""
    folder.mkdir(parents=True, exist_ok=True)
    questions = [(f"{quote(words)}) cat", _file("nvidia-smi", words)) for words in _NVIDIA_SMI]
    _program(folder, "nvidia-smi", [f'{head} "{answers}"/{file} ;;' for head, file in questions])
    verbose, brief = _file("lspci", "vvv"), _file("lspci", "brief")
    _program(folder, "lspci", [f'*v*) cat "{answers}"/{verbose} ;;', f'-D) cat "{answers}"/{brief} ;;'])


def _program(folder: Path, name: str, cases: list[str]) -> None:
    path = folder / name
    path.write_text(_DISPATCH.format(name=name, cases="\n".join(cases)), encoding="utf-8")
    path.chmod(0o755)


def _file(program: str, words: str) -> str:
    return f"{program} {words}".replace(" ", "_")
