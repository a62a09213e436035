from __future__ import annotations

from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said

FAILED = "node07:4711:4712 [0] NCCL INFO NCCL_TOPO_FILE set by environment to /opt/topo.xml\n"

FINE = "node07:4711:4712 [0] NCCL INFO NCCL_TOPO_DUMP_FILE set by environment to /opt/topo.xml\n"


def test_is_a_note() -> None:
    assert said("topology-overridden", FAILED) == snapshot(
        [
            (
                "topology-overridden",
                "info",
                "possible",
                "NCCL_TOPO_FILE=/opt/topo.xml replaces the topology that NCCL would find",
            )
        ]
    )


def test_silent_on_a_dump() -> None:
    assert findings_of("topology-overridden", FINE) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("topology-overridden", FAILED) == snapshot(
        [[("Compare with what NCCL finds itself.", "env -u NCCL_TOPO_FILE NCCL_TOPO_DUMP_FILE=topo.xml ...")]]
    )


AT = "node07:4711:4712 [0] NCCL INFO "


def test_silent_where_the_plug_in_says_that_it_names_the_file() -> None:
    told = (
        AT + "NET/OFI Running on p4d.24xlarge platform, {}\n" + AT + "NCCL_TOPO_FILE set by environment to /x/a.xml\n"
    )
    for words in ("Setting NCCL_TOPO_FILE environment variable to /x/a.xml", "topology file /x/a.xml"):
        assert findings_of("topology-overridden", told.format(words)) == ()


def test_a_note_where_the_plug_in_found_it_set_already() -> None:
    told = (
        AT
        + "NET/OFI Running on p4d.24xlarge platform, NCCL_TOPO_FILE environment variable is already set to /x/a.xml\n"
    )
    assert len(findings_of("topology-overridden", told + AT + "NCCL_TOPO_FILE set by environment to /x/a.xml\n")) == 1


def test_silent_on_a_file_that_comes_with_the_platform() -> None:
    assert findings_of("topology-overridden", FAILED.replace("/opt/topo.xml", "/opt/microsoft/ndv5-topo.xml")) == ()


def test_a_file_for_other_gpus_is_a_warning() -> None:
    """Also a copy of it elsewhere: its name tells the machine."""
    gpus = "".join(
        f"#  Rank {rank:2} Group  0 Pid {4711 + rank} on     node07 device {rank:2} [0000:{rank:02x}:00] "
        "NVIDIA H100 80GB HBM3\n"
        for rank in range(8)
    )
    text = FAILED.replace("/opt/topo.xml", "/opt/microsoft/ndv4-topo.xml") + "# Using devices\n" + gpus
    copied = text.replace("/opt/microsoft/", "/etc/nccl/")
    assert [entry[:3] for entry in said("topology-overridden", copied)] == [
        ("topology-overridden", "warning", "likely")
    ]
    assert said("topology-overridden", text) == snapshot(
        [
            (
                "topology-overridden",
                "warning",
                "likely",
                "NCCL_TOPO_FILE=/opt/microsoft/ndv4-topo.xml describes a machine with other GPUs",
            )
        ]
    )
