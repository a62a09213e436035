from __future__ import annotations

import re

from inline_snapshot import snapshot
from state_proofs import on_nodes, proofs_of
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import BUSES, node, query, query_gpu


def idle(text: str) -> str:
    """``nvidia-smi -q`` without the processes."""
    return re.sub(r"    Processes\n(?: {8}.*\n)+", "    Processes                 : None\n", text)


def test_one_gpu() -> None:
    assert said("gpu-persistence-off", on_nodes(node07=idle(node(persistence="Disabled")))) == snapshot(
        [
            (
                "gpu-persistence-off",
                "warning",
                "certain",
                "node07 GPU 2: persistence mode is off, so that the driver unloads its state between jobs",
            )
        ]
    )


def test_all_gpus_are_folded() -> None:
    off = idle(query(*(query_gpu(bus, persistence="Disabled") for bus in BUSES)))
    assert [f.message for f in findings_of("gpu-persistence-off", off)] == snapshot(
        ["GPU 0-7: persistence mode is off, so that the driver unloads its state between jobs"]
    )


def test_many_nodes_are_folded() -> None:
    off = idle(query(*(query_gpu(bus, persistence="Disabled") for bus in BUSES)))
    one = idle(node(persistence="Disabled"))
    messages = [f.message for f in findings_of("gpu-persistence-off", on_nodes(gpu01=off, gpu02=off, gpu04=one))]
    assert messages == snapshot(
        ["17 GPUs of gpu[01-02,04]: persistence mode is off, so that the driver unloads its state between jobs"]
    )
    messages = [f.message for f in findings_of("gpu-persistence-off", on_nodes(gpu01=one, gpu02=one))]
    assert messages == snapshot(
        ["gpu01 GPU 2 and gpu02 GPU 2: persistence mode is off, so that the driver unloads its state between jobs"]
    )


def summary(*processes: str, gpus: int = 2) -> str:
    """``nvidia-smi`` of a node whose GPUs have persistence mode off; ``processes``: ``GPU PID name``."""
    rows = "".join(
        f"|   {gpu}  NVIDIA L40S                    Off |   00000000:{gpu + 1:02}:00.0 Off |                    0 |\n"
        "| N/A   31C    P8             31W /  350W |      42MiB /  46068MiB |      0%      Default |\n"
        "|                                         |                        |                  N/A |\n"
        for gpu in range(gpus)
    )
    listed = "".join(
        f"|{gpu:>5}   N/A  N/A      {pid:>12}      G   {name:<38}       40MiB |\n"
        for gpu, pid, name in (each.split() for each in processes)
    )
    return (
        "| NVIDIA-SMI 570.86.10              Driver Version: 570.86.10      CUDA Version: 12.8     |\n"
        "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
        f"{rows}| Processes:                                                                              |\n"
        "|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |\n"
        f"{listed}"
    )


def test_nothing_is_unloaded_while_a_process_is_on_every_gpu() -> None:
    held = summary("0 711 /usr/lib/xorg/Xorg", "1 711 /usr/lib/xorg/Xorg")
    assert said("gpu-persistence-off", held) == snapshot(
        [
            (
                "gpu-persistence-off",
                "info",
                "certain",
                "GPU 0 and GPU 1: persistence mode is off, but the driver unloads nothing as long as Xorg runs",
            )
        ]
    )
    training = node(persistence="Disabled")
    (found,) = findings_of("gpu-persistence-off", training)
    assert (found.severity, found.confidence) == ("info", "certain")
    (found,) = findings_of("gpu-persistence-off", held)
    assert [line.line for line in found.evidence] == snapshot([3, 6, 11, 12])


def test_a_gpu_that_nobody_holds_is_unloaded() -> None:
    for some in (summary("0 711 /usr/lib/xorg/Xorg"), summary("0 711 nvidia-smi", "1 711 nvidia-smi"), summary()):
        assert [found.severity for found in findings_of("gpu-persistence-off", some)] == ["warning"]


def test_processes_of_another_time_or_node_hold_nothing() -> None:
    held, free = summary("0 711 python3", "1 711 python3"), summary()
    for text in (held + free, on_nodes(node01=held, node02=free)):
        assert [found.severity for found in findings_of("gpu-persistence-off", text)] == ["warning"]
    assert [found.severity for found in findings_of("gpu-persistence-off", free + held + held)] == ["info"]


def test_switched_on_meanwhile() -> None:
    assert findings_of("gpu-persistence-off", node(persistence="Disabled") + node()) == ()


def test_on() -> None:
    assert proofs_of("gpu-persistence-off", node()) == snapshot([("8 GPUs: persistence mode is on", 0)])


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-persistence-off", on_nodes(node07=idle(node(persistence="Disabled")))) == snapshot(
        [
            [
                ("Run NVIDIA's daemon at boot.", "systemctl enable --now nvidia-persistenced"),
                ("Or switch it on until the next boot.", "nvidia-smi -pm 1"),
                (
                    "Or on all of them, with a record to go back by.",
                    "slowlink prepare --nodes node07 --only persistence --apply",
                ),
            ]
        ]
    )
