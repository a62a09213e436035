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
                "non-fatal NVSwitch error 12028 (a GPU refused an access: often a process that had ended) on port 30 of NVSwitch 0000:07:00.0",
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
    assert finding.message == snapshot(
        "fatal NVSwitch error 20034 (a link went down) on port 30 of NVSwitch 0000:c1:00.0"
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("nvswitch-error", FAILED) == snapshot(
        [
            [
                ("See whether the same port comes again.", "grep -iE 'nvswitch.*error' /var/log/fabricmanager.log"),
                ("Read the errors of the GPUs' links.", "nvidia-smi nvlink -e"),
                (
                    "SXid 12028 follows from another error, or from the end of a process: look at what came before on this node.",
                    "dmesg -T | grep -e NVRM -e Xid",
                ),
            ]
        ]
    )


def test_what_the_switch_corrects_is_a_warning() -> None:
    text = "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 12023, Non-fatal, Link 30 egress crossbar header ECC limit\n"
    assert said("nvswitch-error", text) == snapshot(
        [
            (
                "nvswitch-error",
                "warning",
                "likely",
                "non-fatal NVSwitch error 12023 (errors of the switch's memory that it corrects itself) on port 30 of NVSwitch 0000:c1:00.0",
            )
        ]
    )


def test_the_end_of_an_overheating_is_no_error() -> None:
    text = "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 10005, Non-fatal, Thermal event end\n"
    assert findings_of("nvswitch-error", text) == ()


def test_the_data_of_an_error_are_no_second_one() -> None:
    text = (
        "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 22012, Fatal, Link 30 Minion Link NA interrupt\n"
        "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 22012, Severity 1 Engine instance 30 Sub-engine instance 00\n"
        "nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 22012, Data {0x0000001e, 0x00000000, 0x00000000, 0x00000000}\n"
    )
    assert said("nvswitch-error", text) == snapshot(
        [
            (
                "nvswitch-error",
                "critical",
                "certain",
                "fatal NVSwitch error 22012 (firmware of the switch failed) on port 30 of NVSwitch 0000:c1:00.0",
            )
        ]
    )
