"""What mx-smi prints on a simulated node with GPUs of MetaX. Layout: version 2.2, as MetaX's manual shows it."""

from __future__ import annotations

from slowlink.simulate.node_state.description import Place, SimulatedNode

_RULE = "+------------------+-----------------+---------------------+----------------------+"


def table(node: SimulatedNode) -> str:
    """``mx-smi``."""
    lines = [
        "mx-smi  version: 2.2.9",
        "",
        "=================== MetaX System Management Interface Log ===================",
        "Timestamp                                         : Thu Jan  1 12:00:00 2026",
        "",
        f"Attached GPUs                                     : {node.gpus}",
        "+---------------------------------------------------------------------------------+",
        f"| MX-SMI 2.2.9                        Kernel Mode Driver Version: {node.driver:16}|",
        "| MACA Version: 3.3.0.15              BIOS Version: 1.29.1.0                      |",
        _RULE.replace("+-", "|-", 1)[:-1] + "|",
        "| Board       Name | GPU   Persist-M | Bus-id              | GPU-Util      sGPU-M |",
        "| Pwr:Usage/Cap    | Temp       Perf | Memory-Usage        | GPU-State            |",
        "|==================+=================+=====================+======================|",
    ]
    for gpu in range(node.gpus):
        busy = node.busy if node.busy is not None and node.busy.gpu == gpu else None
        used, load = (busy.memory_mib, busy.utilisation) if busy else (826, 0)
        lines += [
            f"| {gpu:<2}    MetaX C500 | {gpu:<2}          {'On ' if node.persistence else 'Off'} "
            f"| {Place.of(gpu).gpu:19} | {f'{load}%':10}  Disabled |",
            f"| {'56W / 350W':16} | {'36C          P0':15} | {f'{used}/65536 MiB':19} | {'Available':20} |",
            _RULE,
        ]
    return "\n".join([*lines, "", *_processes(node), "", "End of Log"]) + "\n"


def _processes(node: SimulatedNode) -> list[str]:
    rule = "+---------------------------------------------------------------------------------+"
    lines = [
        rule,
        "| Process:                                                                        |",
        "|  GPU                    PID         Process Name                 GPU Memory     |",
        "|                                                                  Usage(MiB)     |",
        "|=================================================================================|",
    ]
    busy = node.busy
    if busy is None:
        return [*lines, "|  no process found                                                               |", rule]
    shown = f"|  {busy.gpu:<22} {busy.pid:<11} {busy.name:28} {busy.memory_mib:<15}|"
    return [*lines, shown, rule]
