"""Locked clocks of NVIDIA GPUs: measurements of different nodes are compared at one clock."""

from __future__ import annotations

from slowlink.settings.interface import BLIND, PCI_ADDRESS, Setting

# nvidia-smi sets and resets a lock, and has no word to tell one; NVML has no function for it either.
_SCRIPT = r"""
clocks_read() {
  gpu_fields clocks clocks.max.gr "${1-}" || return 0
  printf '%s\n' "$lines" | while IFS=', ' read -r part most _; do item clocks "$part" '?' "$most"; done
}
clocks_write() {
  case $2 in
    unlocked) bounded nvidia-smi -i "$1" -rgc ;;
    *:*) bounded nvidia-smi -i "$1" -lgc "${2%:*}" --mode="${2#*:}" ;;
    *) bounded nvidia-smi -i "$1" -lgc "$2" ;;
  esac
}
"""


def _misfit(wanted: str, detail: str) -> str:
    highest = wanted.partition(":")[0].rpartition(",")[2]
    if detail.isascii() and detail.isdecimal() and highest.isdecimal() and int(highest) > int(detail):
        return f"{highest} MHz is more than the {int(detail)} MHz of this GPU"
    return ""


def _command(part: str, value: str) -> str:
    if value == "unlocked":
        return f"nvidia-smi -i {part} -rgc"
    clocks, _, mode = value.partition(":")
    return f"nvidia-smi -i {part} -lgc {clocks}" + (f" --mode={mode}" if mode else "")


SETTING = Setting(
    name="clocks",
    title="locked GPU clocks",
    form="MHz: 1980, or the lowest and the highest: 1410,1980; with nvidia-smi's mode of locking behind it: 1980:1",
    unit=" MHz",
    order=20,
    parts=PCI_ADDRESS,
    values=r"unlocked|[0-9]{2,5}(,[0-9]{2,5})?(:[01])?",
    wanted=None,
    commands=_command,
    script=_SCRIPT,
    before="unlocked",
    note="nvidia-smi does not tell whether clocks are locked now: rollback unlocks them; if they have a lock that "
    "shall come back, name it with --clocks-before",
    misfit=_misfit,
)

assert BLIND == "?"
