"""What nvidia-smi and DCGM say of an infoROM."""

from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

TOLD = "WARNING: infoROM is corrupted at gpu 0000:3B:00.0\n"


def test_nvidia_smi_says_it_below_its_table() -> None:
    assert said("gpu-inforom-corrupted", TOLD) == snapshot(
        [("gpu-hardware-fault", "error", "certain", "the infoROM of GPU 0000:3b:00.0 is corrupted")]
    )
    assert remedies_of("gpu-inforom-corrupted", TOLD) == snapshot(
        [
            [
                ("Read what the GPU says of its infoROM, ECC and retired memory.", "nvidia-smi -q -i 0000:3b:00.0"),
                ("Take the node out; have the infoROM written anew or the board replaced.", ""),
            ]
        ]
    )


def test_dcgm_names_the_gpu_by_its_number() -> None:
    (found,) = findings_of(
        "gpu-inforom-corrupted", "InfoROM system: Warning - A corrupt InfoROM has been detected in GPU 1.\n"
    )
    assert (found.message, [s.name for s in found.suspects]) == snapshot(
        ("the infoROM of GPU 1 is corrupted", ["GPU 1"])
    )


def test_versions_of_an_inforom_are_no_fault() -> None:
    assert findings_of("gpu-inforom-corrupted", "    Inforom Version\n        Image Version : G520.0200.00.05\n") == ()
