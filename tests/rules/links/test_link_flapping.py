from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, remedies_of, said, table

FAILED = (
    "node07:4711:4712 [0] NCCL WARN NET/IB : mlx5_2:1 Got async event : port error\n"
    "node07:4711:4712 [0] NCCL WARN NET/IB : mlx5_2:1 Got async event : port active\n"
)

FINE = "node07:4711:4712 [0] NCCL WARN NET/IB : mlx5_2:1 Got async event : port active\n"


def test_one_loss_is_no_flapping() -> None:
    assert said("link-flapping", FAILED) == snapshot(
        [("link-flapping", "warning", "possible", "node07: mlx5_2 lost its link once and got it back")]
    )


def test_the_hcas_word_counts_from_the_second_loss_on() -> None:
    assert said("link-flapping", FAILED * 2) == snapshot(
        [("link-flapping", "error", "likely", "node07: mlx5_2 lost its link 2 times and got it back")]
    )
    assert said("link-flapping", FAILED * 5) == snapshot(
        [("link-flapping", "error", "certain", "node07: mlx5_2 lost its link 5 times and got it back")]
    )


def test_silent_on_a_port_that_comes_up() -> None:
    assert findings_of("link-flapping", FINE) == ()


def driver(count: int) -> str:
    """What mlx5_core logs."""
    return "mlx5_core 0000:12:00.0 ens1np0: Link down\nmlx5_core 0000:12:00.0 ens1np0: Link up\n" * count


def test_from_the_kernel_log() -> None:
    assert said("link-flapping", driver(1)) == snapshot(
        [("link-flapping", "warning", "possible", "ens1np0 lost its link once and got it back")]
    )
    assert said("link-flapping", driver(2)) == snapshot(
        [("link-flapping", "error", "likely", "ens1np0 lost its link 2 times and got it back")]
    )
    assert said("link-flapping", driver(5)) == snapshot(
        [("link-flapping", "error", "certain", "ens1np0 lost its link 5 times and got it back")]
    )


def test_copies_of_one_log_tell_of_one_loss() -> None:
    assert said("link-flapping", driver(1), driver(1)) == snapshot(
        [("link-flapping", "warning", "possible", "ens1np0 lost its link once and got it back")]
    )


def lost(interface: str, count: int) -> str:
    """What systemd-networkd logs; the stamps differ."""
    return "".join(
        f"Mar  3 0{n}:10:0{n} node07 systemd-networkd[812]: {interface}: Lost carrier\n"
        f"Mar  3 0{n}:10:2{n} node07 systemd-networkd[812]: {interface}: Gained carrier\n"
        for n in range(count)
    )


def test_lost_carriers_are_a_fault_from_five_on() -> None:
    assert said("link-flapping", lost("ib3", 5)) == snapshot(
        [("link-flapping", "error", "certain", "node07: ib3 lost its link 5 times and got it back")]
    )
    assert said("link-flapping", lost("ib3", 4)) == snapshot(
        [("link-flapping", "warning", "likely", "node07: ib3 lost its link 4 times and got it back")]
    )
    assert said("link-flapping", lost("ib3", 1)) == snapshot(
        [("link-flapping", "warning", "possible", "node07: ib3 lost its link once and got it back")]
    )


def test_carriers_of_network_manager_are_carriers() -> None:
    text = (
        "NetworkManager[99]: <info>  [1700000000.1] device (ib3): carrier: link disconnected\n"
        "NetworkManager[99]: <info>  [1700000002.1] device (ib3): carrier: link connected\n"
    )
    assert said("link-flapping", text * 2) == snapshot(
        [("link-flapping", "warning", "likely", "ib3 lost its link 2 times and got it back")]
    )


def test_the_word_carrier_in_a_name_makes_no_carrier_of_the_drivers_message() -> None:
    assert said("link-flapping", driver(2).replace("ens1np0", "carrier0")) == snapshot(
        [("link-flapping", "error", "likely", "carrier0 lost its link 2 times and got it back")]
    )


def test_one_loss_explains_a_failure_only_where_nccl_saw_it_in_the_job() -> None:
    (seen,), (logged,) = findings_of("link-flapping", FAILED), findings_of("link-flapping", driver(1))
    assert "rdma-retry-exceeded" in seen.explains
    assert logged.explains == ("bandwidth-unstable",)
    (over,) = findings_of("link-flapping", FAILED + table())
    assert over.explains == ("bandwidth-unstable",)


def test_the_remedy_reads_the_cable_by_the_name_that_is_known() -> None:
    texts = (FAILED, driver(1))
    assert [findings_of("link-flapping", text)[0].remedy[0].command for text in texts] == snapshot(
        ["mlxlink -d mlx5_2 -m -c -e", "ethtool -m ens1np0; ethtool -S ens1np0"]
    )


def test_silent_on_management_and_containers() -> None:
    assert findings_of("link-flapping", lost("eno1", 8), lost("veth12ab", 8), lost("docker0", 8)) == ()


def test_two_programs_that_log_one_loss() -> None:
    text = (
        "mlx5_core 0000:12:00.0 ens1np0: Link down\nbond0: (slave ens1np0): link status definitely down, disabling slave\n"
        "mlx5_core 0000:12:00.0 ens1np0: Link up\nbond0: (slave ens1np0): link status definitely up, 400000 Mbps\n"
    )
    assert [f.message for f in findings_of("link-flapping", text)] == snapshot(
        ["ens1np0 lost its link once and got it back"]
    )


def test_one_loss_each_while_the_node_starts_is_a_warning() -> None:
    text = "".join(
        f"[    8.{n}] mlx5_core 0000:1{n}:00.0 ens{n}np0: Link down\n[    9.{n}] mlx5_core 0000:1{n}:00.0 ens{n}np0: Link up\n"
        for n in (1, 2)
    )
    assert said("link-flapping", text) == snapshot(
        [("link-flapping", "warning", "possible", "ens1np0 and ens2np0 lost their links once each and got it back")]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("link-flapping", FAILED) == snapshot(
        [
            [
                ("Read the cable's and the port's own counters.", "mlxlink -d mlx5_2 -m -c -e"),
                ("See when it happened before.", "dmesg -T | grep -iE 'link|carrier'"),
            ]
        ]
    )


BOOT = "Mar  3 01:00:00 node07 kernel: Linux version 6.8.0-31-generic (build@host) (gcc 13.2.0)\n"
PROBE = "mlx5_core 0000:12:00.0: firmware version: 28.1.2\n"


def kernel(text: str) -> str:
    return "".join(f"Mar  3 01:00:1{n} node07 kernel: {line}\n" for n, line in enumerate(text.splitlines()))


@pytest.mark.parametrize(
    "log",
    [
        BOOT + kernel(driver(1)),
        kernel(PROBE + driver(1)),
        kernel("mlx5_core 0000:12:00.0 ens1np0: renamed from eth0\n" + driver(1)),
        BOOT + lost("ens1np0", 1),
        BOOT + kernel(driver(1)) + BOOT + kernel(driver(1)),
    ],
    ids=["kernel", "driver", "new interface", "daemon", "two starts"],
)
def test_a_link_that_was_not_up_yet_is_not_lost(log: str) -> None:
    assert findings_of("link-flapping", log) == ()


def test_what_is_lost_after_it_was_up_counts() -> None:
    once = "lost its link once and got it back"
    (found,) = said("link-flapping", BOOT + kernel(PROBE + driver(2)))
    assert found[3] == f"node07: ens1np0 {once}"
    up_first = "mlx5_core 0000:12:00.0 ens1np0: Link up\n" + driver(1)
    (found,) = said("link-flapping", BOOT + kernel(PROBE + up_first))
    assert found[3] == f"node07: ens1np0 {once}"
