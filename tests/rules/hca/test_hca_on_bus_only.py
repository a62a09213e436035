"""PCI shows HCAs, and tools of RDMA show none. Own samples, in the form of lspci, rdma-core and iproute2."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import diagnoses_of, findings_of, remedies_of, said

AT = "[root@gn-07 ~]# "
BUS = AT + "lspci | grep -i mellanox\n2a:00.0 Infiniband controller: Mellanox Technologies MT2910 Family [ConnectX-7]\n"
NICS = BUS.replace("Infiniband", "Ethernet")
NONE = (
    AT + "ibv_devinfo\nNo IB devices found\n",
    AT + "ibv_devinfo -l\n0 HCAs found:\n",
    AT + "ls /sys/class/infiniband\nls: cannot access '/sys/class/infiniband': No such file or directory\n",
    AT + "ls /sys/class/infiniband | wc -l\n0\n",
    AT + "ibstat\nibpanic: [4711] main: can't init UMAD library: (No such file or directory)\n",
    AT + "ibstatus\nFatal error:  device '*': sys files not found (/sys/class/infiniband/*/ports)\n",
    AT + "ibstat\n" + AT + "uptime\n",
    AT + "rdma link\n" + AT + "uptime\n",
    AT + "ibv_devices\n    device          \t   node GUID\n    ------          \t----------------\n" + AT + "uptime\n",
)


@pytest.mark.parametrize("none", NONE)
def test_cards_on_the_bus_without_a_device_are_the_drivers_matter(none: str) -> None:
    for text in (BUS + none, none + BUS):
        assert said("hca-on-bus-only", text) == [
            (
                "hca-driver-failed",
                "error",
                "likely",
                "gn-07: PCI shows 1 HCA (ConnectX-7), and there is no RDMA device: the driver or its RDMA part did not "
                "start, or a container was not given the devices",
            )
        ]
        assert [d.cause for d in diagnoses_of(text)] == ["hca-driver-failed"]


def test_a_nic_needs_no_rdma_unless_the_job_went_over_sockets_for_want_of_it() -> None:
    assert [found[1:3] for found in said("hca-on-bus-only", NICS + NONE[0])] == [("warning", "possible")]
    job = "".join(
        f"gn-0{node}:4711:4712 [0] NCCL INFO NET/IB : No device found.\n"
        f"gn-0{node}:4711:4712 [0] NCCL INFO Using network Socket\n"
        for node in (7, 8)
    )
    assert [found[1:3] for found in said("hca-on-bus-only", job + NICS + NONE[0])] == [("error", "possible")]


def test_silent_where_a_device_came_later_or_was_never_asked_for_or_is_another_nodes() -> None:
    heading = "    device          \t   node GUID\n    ------          \t----------------\n"
    later = AT + "ibv_devices\n" + heading + "    mlx5_0          \ta088c20300aa0010\n"
    other = NONE[0].replace("gn-07", "gn-08")
    for text in (BUS, NONE[0], BUS + NONE[0] + later, BUS + later, BUS + other, BUS + AT + "ibstat\n"):
        assert findings_of("hca-on-bus-only", text) == ()


def test_it_says_what_to_do() -> None:
    assert remedies_of("hca-on-bus-only", BUS + NONE[0]) == snapshot(
        [
            [
                (
                    "See whether the driver is loaded, and what it said.",
                    "lsmod | grep -E 'mlx5_ib|ib_uverbs'; dmesg | grep -i mlx5",
                ),
                ("Load its RDMA part, or install the driver that fits this kernel.", "modprobe -a mlx5_ib ib_uverbs"),
                ("In a container, give it the devices.", "docker run --device=/dev/infiniband ..."),
            ]
        ]
    )


def test_no_device_alone_is_no_broken_job() -> None:
    assert [(d.cause, d.severity) for d in diagnoses_of(NONE[0])] == [("hca-missing", "error")]
