from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = (
    "[Jan 02 2031 03:04:05] [ERROR] [tid 9] detected NVSwitch non-fatal error 12028 on fid 0 on "
    "NVSwitch pci bus id 00000000:07:00.0 physical id 11 port 30\n"
)

FINE = (
    "[Jan 02 2031 03:04:05] [INFO] [tid 9] multicast group 0 is freed.\n"
    "[ 77.1] NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, name=train, MMU Fault\n"
)


def test_names_port_and_switch() -> None:
    assert said("nvswitch-error", FAILED) == snapshot(
        [
            (
                "nvswitch-error",
                "error",
                "likely",
                "non-fatal NVSwitch error 12028 on port 30 of NVSwitch 0000:07:00.0",
            )
        ]
    )


def test_silent_on_ordinary_messages() -> None:
    assert findings_of("nvswitch-error", FINE) == ()


def test_a_fatal_one_ends_the_fabric() -> None:
    text = "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up\n"
    assert [f.severity for f in findings_of("nvswitch-error", text)] == ["critical"]


def test_a_non_fatal_error_beside_a_fatal_one_is_not_called_fatal() -> None:
    text = (
        "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12028, Non-fatal, Link 7 egress error\n"
        "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up\n"
    )
    (finding,) = findings_of("nvswitch-error", text)
    assert finding.message == snapshot("fatal NVSwitch error 20034 on port 30 of NVSwitch 0000:c1:00.0")


def test_it_says_what_to_do() -> None:
    assert remedies_of("nvswitch-error", FAILED) == snapshot(
        [
            [
                ("See whether the same port comes again.", "grep -iE 'nvswitch.*error' /var/log/fabricmanager.log"),
                ("Read the errors of the GPUs' links.", "nvidia-smi nvlink -e"),
            ]
        ]
    )
