from __future__ import annotations

from inline_snapshot import snapshot
from state_proofs import on_nodes, proofs_of
from text_findings import findings_of, remedies_of, said

from nvidia_smi_outputs import BUSES, node, query, query_gpu


def test_one_gpu() -> None:
    assert said("gpu-persistence-off", on_nodes(node07=node(persistence="Disabled"))) == snapshot(
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
    off = query(*(query_gpu(bus, persistence="Disabled") for bus in BUSES))
    assert [f.message for f in findings_of("gpu-persistence-off", off)] == snapshot(
        ["GPU 0-7: persistence mode is off, so that the driver unloads its state between jobs"]
    )


def test_many_nodes_are_folded() -> None:
    off = query(*(query_gpu(bus, persistence="Disabled") for bus in BUSES))
    one = node(persistence="Disabled")
    messages = [f.message for f in findings_of("gpu-persistence-off", on_nodes(gpu01=off, gpu02=off, gpu04=one))]
    assert messages == snapshot(
        ["17 GPUs of gpu[01-02,04]: persistence mode is off, so that the driver unloads its state between jobs"]
    )
    messages = [f.message for f in findings_of("gpu-persistence-off", on_nodes(gpu01=one, gpu02=one))]
    assert messages == snapshot(
        ["gpu01 GPU 2 and gpu02 GPU 2: persistence mode is off, so that the driver unloads its state between jobs"]
    )


def test_switched_on_meanwhile() -> None:
    assert findings_of("gpu-persistence-off", node(persistence="Disabled") + node()) == ()


def test_on() -> None:
    assert proofs_of("gpu-persistence-off", node()) == snapshot([("8 GPUs: persistence mode is on", 0)])


def test_it_says_what_to_do() -> None:
    assert remedies_of("gpu-persistence-off", on_nodes(node07=node(persistence="Disabled"))) == snapshot(
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
