"""Collectors of HCAs and network cards, run by a shell over a made-up root and made-up programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from slowlink.collectors.catalogue import all_collectors
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read

SHELLS = [name for name in ("sh", "dash", "bash") if shutil.which(name)]
MINE = [
    "ethtool-counters",
    "ibdev2netdev",
    "ibstat",
    "ibv-devinfo",
    "mlnx-qos",
    "netdev",
    "rdma-counters",
    "rdma-link",
    "sysfs-infiniband",
]
UNUSED_GID = "0000:0000:0000:0000:0000:0000:0000:0000"
FILES = {
    "sys/class/infiniband/mlx5_0/fw_ver": "28.43.2026",
    "sys/class/infiniband/mlx5_0/hca_type": "MT4129",
    "sys/class/infiniband/mlx5_0/device/numa_node": "1",
    "sys/class/infiniband/mlx5_0/device/uevent": "DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:17:00.0",
    "sys/class/infiniband/mlx5_0/device/net/ens1np0/operstate": "up",
    "sys/class/infiniband/mlx5_0/device/net/ens1np0/dev_port": "0",
    "sys/class/infiniband/mlx5_0/ports/1/state": "4: ACTIVE",
    "sys/class/infiniband/mlx5_0/ports/1/rate": "400 Gb/sec (4X NDR)",
    "sys/class/infiniband/mlx5_0/ports/1/link_layer": "Ethernet",
    "sys/class/infiniband/mlx5_0/ports/1/pkeys/0": "0xffff",
    "sys/class/infiniband/mlx5_0/ports/1/pkeys/1": "0x0000",
    "sys/class/infiniband/mlx5_0/ports/1/gids/3": "0000:0000:0000:0000:0000:ffff:0a01:0203",
    "sys/class/infiniband/mlx5_0/ports/1/gids/4": UNUSED_GID,
    "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/3": "RoCE v2",
    "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/3": "ens1np0",
    "sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error": "2",
    "sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence": "9",
    "sys/class/net/ens1np0/device/infiniband/mlx5_0/fw_ver": "28.43.2026",
    "sys/class/net/ens1np0/mtu": "9000",
    "sys/class/net/ens1np0/operstate": "up",
    "sys/class/net/ens1np0/carrier_changes": "4",
    "sys/class/net/ens1np0/statistics/rx_errors": "0",
    "sys/class/net/veth0/mtu": "1400",
}
PROGRAMS = {
    "ethtool": 'case $1 in -S) echo "NIC statistics:"; echo "     rx_prio3_pause: 7"; echo "     ch0_events: 1";; '
    '-a) echo "Pause parameters for $2:"; echo "RX:		on";; *) exit 1;; esac',
    "mlnx_qos": 'printf "Priority trust state: dscp\\n\\tenabled     0   0   0   1   0   0   0   0\\n"',
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content + "\n")
    return tmp_path


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    folder = tmp_path / "made-up-bin"
    folder.mkdir()
    for name, body in PROGRAMS.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)
    return folder


def collect(
    name: str, root: Path | str, shell: str = "sh", programs: Path | None = None
) -> subprocess.CompletedProcess[str]:
    (found,) = (each for each in all_collectors() if each.name == name)
    path = f"{programs}:{os.environ['PATH']}" if programs else os.environ["PATH"]
    environment = {"PATH": path, "ROOT": str(root), "LC_ALL": "C"}
    return subprocess.run([shell, "-s"], input=found.text, capture_output=True, text=True, env=environment, timeout=60)


def said(output: str) -> list[str]:
    found = read([Input("t", None, [output.encode()])], workers=1).readings
    return [f"{r.attribute} {r.part.name} = {r.value}" for r in found]


@pytest.mark.parametrize("shell", SHELLS)
def test_hcas_from_the_kernel(root: Path, shell: str) -> None:
    done = collect("sysfs-infiniband", root, shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert UNUSED_GID not in done.stdout
    assert said(done.stdout) == snapshot(
        [
            "hca-firmware mlx5_0 = 28.43.2026",
            "hca-model mlx5_0 = MT4129",
            "hca-numa-node mlx5_0 = 1",
            "hca-bus-id mlx5_0 = 0000:17:00.0",
            "port-state mlx5_0/1 = Active",
            "port-rate mlx5_0/1 = 400.0",
            "port-width mlx5_0/1 = 4",
            "port-link-layer mlx5_0/1 = Ethernet",
            "pkey-value mlx5_0/1/0 = 0xffff",
            "gid-value mlx5_0/1/3 = 0000:0000:0000:0000:0000:ffff:0a01:0203",
            "gid-ipv4 mlx5_0/1/3 = 10.1.2.3",
            "gid-type mlx5_0/1/3 = RoCE v2",
            "gid-netdev mlx5_0/1/3 = ens1np0",
        ]
    )


def test_counters(root: Path) -> None:
    done = collect("rdma-counters", root)
    assert (done.returncode, done.stderr) == (0, "")
    assert said(done.stdout) == snapshot(
        [
            "port-symbol-errors mlx5_0/1 = 2",
            "rdma-out-of-sequence mlx5_0/1 = 9",
            "interface-carrier-changes ens1np0 = 4",
            "interface-rx-errors ens1np0 = 0",
        ]
    )


def test_interfaces_of_hcas_without_the_script(root: Path) -> None:
    assert collect("ibdev2netdev", root).stdout == snapshot("mlx5_0 port 1 ==> ens1np0 (Up)\n")


def test_network_cards(root: Path, programs: Path) -> None:
    assert said(collect("netdev", root, programs=programs).stdout) == snapshot(
        ["interface-state ens1np0 = up", "interface-mtu ens1np0 = 9000", "interface-rx-pause ens1np0 = True"]
    )


def test_pauses(root: Path, programs: Path) -> None:
    assert said(collect("ethtool-counters", root, programs=programs).stdout) == snapshot(
        ["priority-pause-received ens1np0/3 = 7"]
    )


def test_lossless_priorities(root: Path, programs: Path) -> None:
    assert said(collect("mlnx-qos", root, programs=programs).stdout) == snapshot(
        ["interface-trust ens1np0 = dscp", "interface-pfc ens1np0 = 3"]
    )


@pytest.mark.parametrize("name", ["sysfs-infiniband", "rdma-counters", "ibdev2netdev", "netdev"])
def test_without_hardware_the_reason_is_told(name: str, tmp_path: Path) -> None:
    done = collect(name, tmp_path)
    assert (done.returncode, done.stdout) == (77, "")
    assert "here" in done.stderr


def test_all_are_there_and_change_nothing() -> None:
    collectors = {each.name: each for each in all_collectors()}
    assert set(MINE) <= set(collectors)
    assert {name for name in MINE if collectors[name].when == "sampled"} == {"rdma-counters", "ethtool-counters"}
    assert not any(">/" in collectors[name].text.replace(">/dev/null", "") for name in MINE)
