"""Collectors of hosts, PCIe and GPUDirect: run by real shells over a made-up root, and read by the parsers they feed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from slowlink.collectors.catalogue import all_collectors
from slowlink.inputs import Input
from slowlink.model.source import SourceStats
from slowlink.parsers.reading.read import read

sys.path.insert(0, str(Path(__file__).parents[1] / "parsers"))
from lspci_text import server

SHELLS = [name for name in ("sh", "dash", "bash") if shutil.which(name)]
MINE = (
    *("lspci", "sysfs-pci", "kernel-cmdline", "iommu", "cpu", "numa", "gdr", "limits", "kernel-log", "versions"),
    *("firmware", "memory", "file-systems"),
)
CPU = "sys/devices/system/cpu"
GPU = "sys/devices/pci0000:17/0000:17:01.0/0000:18:00.0"
FILES = {
    "proc/cmdline": "BOOT_IMAGE=/vmlinuz root=/dev/sda1 rd.luks.key=topsecret iommu=pt intel_iommu=on token=abc pci=realloc",
    "proc/sys/kernel/numa_balancing": "1",
    "proc/sys/vm/nr_hugepages": "0",
    "proc/1/mounts": "/dev/sda2 / ext4 rw,relatime 0 0\nproc /proc proc rw,nosuid 0 0\n/dev/sdb1 /local xfs ro,relatime 0 0",
    "sys/class/nvme/nvme0/state": "live",
    "sys/class/dmi/id/sys_vendor": "Supermicro",
    "sys/class/dmi/id/product_name": "SYS-821GE-TNHR",
    "sys/class/dmi/id/product_serial": "topsecret",
    "sys/class/dmi/id/bios_version": "2.1",
    "sys/devices/system/edac/mc/mc0/ce_count": "3",
    "sys/devices/system/edac/mc/mc0/ue_count": "0",
    "proc/sys/vm/zone_reclaim_mode": "0",
    "proc/sys/kernel/osrelease": "5.14.0-427.13.1.el9_4.x86_64",
    "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.1  x\nGCC version: 11",
    "proc/kallsyms": "0000000000000000 r __ksymtab_mm_init\n0000000000000000 r __ksymtab_mm_kobj",
    "boot/config-5.14.0-427.13.1.el9_4.x86_64": "CONFIG_DMA_SHARED_BUFFER=y\n# CONFIG_PCI_P2PDMA is not set\nCONFIG_X=y",
    "sys/module/nvidia/initstate": "live",
    "sys/module/mlx5_core/initstate": "live",
    "sys/module/mlx5_core/version": "24.10-0.7.0",
    f"{GPU}/current_link_speed": "2.5 GT/s PCIe",
    f"{GPU}/current_link_width": "8",
    f"{GPU}/max_link_speed": "32.0 GT/s PCIe",
    f"{GPU}/max_link_width": "16",
    f"{GPU}/numa_node": "0",
    "sys/kernel/iommu_groups/7/type": "DMA-FQ",
    "sys/class/infiniband/mlx5_0/device/current_link_width": "16",
    "sys/class/infiniband/mlx5_0/device/max_link_width": "16",
    "sys/class/infiniband/mlx5_0/device/uevent": "DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:12:00.0",
    "etc/security/limits.conf": "# x memlock y\n* soft memlock 65536\n",
    "etc/os-release": 'NAME="Rocky Linux"\nPRETTY_NAME="Rocky Linux 9.4"\n',
    **{f"{CPU}/cpu{n}/cpufreq/scaling_governor": "powersave" if n == 5 else "performance" for n in range(12)},
    f"{CPU}/cpu0/cpufreq/scaling_driver": "intel_pstate",
    f"{CPU}/cpu0/cpuidle/state1/name": "C1",
    f"{CPU}/cpu0/cpuidle/state1/latency": "2",
    f"{CPU}/online": "0-11",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content + "\n")
    driver = tmp_path / "sys/bus/pci/drivers/nvidia"
    driver.mkdir(parents=True)
    (driver / "0000:18:00.0").symlink_to(tmp_path / GPU)
    (tmp_path / GPU / "iommu_group").symlink_to(tmp_path / "sys/kernel/iommu_groups/7")
    return tmp_path


def collect(
    name: str, root: Path, shell: str = "sh", programs: Mapping[str, str] | None = None
) -> tuple[int, str, str]:
    """(status, output, errors), with made-up programs in front of the real ones."""
    folder = root / "programs"
    folder.mkdir(exist_ok=True)
    for program, body in (programs or {}).items():
        (folder / program).write_text(f"#!/bin/sh\n{body}\n")
        (folder / program).chmod(0o755)
    (script,) = (each.text for each in all_collectors() if each.name == name)
    environment = {"PATH": f"{folder}:/usr/sbin:/usr/bin:/sbin:/bin", "ROOT": str(root)}
    done = subprocess.run([shell, "-s"], input=script, capture_output=True, text=True, timeout=60, env=environment)
    return done.returncode, done.stdout, done.stderr


def said(text: str) -> tuple[list[tuple[str, str, str, object]], SourceStats]:
    records = read([Input("t", None, [text.encode()])], workers=1)
    return [(r.part.kind, r.part.name, r.attribute, r.value) for r in records.readings], records.sources[0]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("name", [name for name in MINE if name not in ("lspci", "kernel-log")])
def test_each_runs_in_every_shell_and_is_read(name: str, shell: str, root: Path) -> None:
    status, output, errors = collect(name, root, shell)
    found, stats = said(output)
    assert (status, errors, stats.unread) == (0, "", 0)
    assert found
    assert "secret" not in output
    assert "abc" not in output


def test_the_link_of_a_gpu_and_of_an_hca(root: Path) -> None:
    assert said(collect("sysfs-pci", root)[1])[0] == snapshot(
        [
            ("gpu", "0000:18:00.0", "pcie-speed", 2.5),
            ("gpu", "0000:18:00.0", "pcie-width", 8),
            ("gpu", "0000:18:00.0", "pcie-speed-max", 32.0),
            ("gpu", "0000:18:00.0", "pcie-width-max", 16),
            ("gpu", "0000:18:00.0", "pci-numa-node", 0),
            ("hca", "mlx5_0", "pcie-width", 16),
            ("hca", "mlx5_0", "pcie-width-max", 16),
            ("hca", "mlx5_0", "hca-bus-id", "0000:12:00.0"),
        ]
    )


def test_parameters_without_what_is_private(root: Path) -> None:
    assert said(collect("kernel-cmdline", root)[1])[0] == snapshot(
        [("node", "", "iommu-parameters", "intel_iommu=on iommu=pt"), ("node", "", "kernel-parameters", "pci=realloc")]
    )


def test_governors_are_counted_and_the_odd_one_is_named(root: Path) -> None:
    assert said(collect("cpu", root)[1])[0] == snapshot(
        [
            ("cpu", "11 CPUs", "cpu-governor", "performance"),
            ("cpu", "5", "cpu-governor", "powersave"),
            ("cpu", "0", "cpu-frequency-driver", "intel_pstate"),
            ("cpu", "0/state1", "cpu-idle-state", "C1"),
            ("cpu", "0/state1", "cpu-idle-latency", 2),
            ("node", "", "cpu-count", 12),
        ]
    )


def test_what_gpudirect_needs(root: Path) -> None:
    assert said(collect("gdr", root)[1])[0] == snapshot(
        [
            ("module", "nvidia", "module-loaded", True),
            ("module", "mlx5_core", "module-loaded", True),
            ("module", "mlx5_core", "module-version", "24.10-0.7.0"),
            ("module", "nvidia_peermem", "module-loaded", False),
            ("node", "", "peer-memory-interface", False),
            ("node", "", "driver-version", "535.1"),
            ("node", "", "gpu-driver-open", False),
            ("node", "", "kernel-release", "5.14.0-427.13.1.el9_4.x86_64"),
            ("node", "", "mm-kobj-exported", True),
            ("node", "", "kernel-dma-buf", True),
            ("node", "", "kernel-pci-p2pdma", False),
        ]
    )


def test_the_iommu_of_a_gpu(root: Path) -> None:
    assert ("gpu", "0000:18:00.0", "iommu-domain", "DMA-FQ") in said(collect("iommu", root)[1])[0]


def test_lspci_is_shortened_and_keeps_its_blocks(root: Path) -> None:
    whole = server()
    (root / "whole.txt").write_text(whole)
    status, output, errors = collect("lspci", root, programs={"lspci": f"cat {root}/whole.txt"})
    assert (status, errors) == (0, "")
    assert len(output) < len(whole)
    kept, stats = said(output)
    assert stats.unread == 0
    nvme = "0000:59:00.0"
    assert kept == [entry for entry in said(whole)[0] if entry[1] != nvme]


def test_the_kernel_log_needs_a_reader(root: Path) -> None:
    closed = {"dmesg": "exit 1", "journalctl": "exit 1"}
    assert collect("kernel-log", root, programs=closed)[::2] == (
        77,
        "needs root: neither dmesg nor journalctl -k shows the kernel log\n",
    )


def test_the_kernel_log_is_sifted(root: Path) -> None:
    lines = (
        "[ 1.0] Kernel command line: token=abc iommu: Default",
        "[ 2.0] usb 1-1: new device",
        "[ 3.0] iommu: Default domain type: Translated",
        "[ 4.0] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.",
    )
    body = "\n".join(f"echo '{line}'" for line in lines)
    assert collect("kernel-log", root, programs={"dmesg": body})[1].splitlines() == list(lines[2:])


def test_links_need_a_device(tmp_path: Path) -> None:
    assert collect("sysfs-pci", tmp_path)[::2] == (77, "no GPU or HCA with a PCIe link here\n")


def test_the_machine(root: Path) -> None:
    found = [each for name in ("firmware", "memory", "file-systems") for each in said(collect(name, root)[1])[0]]
    assert [each for each in found if each[0] != "dimm" or each[1].startswith("mc")] == snapshot(
        [
            ("node", "", "node-maker", "Supermicro"),
            ("node", "", "bios-version", "2.1"),
            ("node", "", "huge-pages", 0),
            ("dimm", "mc0", "memory-errors-corrected", 3),
            ("dimm", "mc0", "memory-errors-uncorrected", 0),
            ("filesystem", "/", "filesystem-read-only", False),
            ("filesystem", "/local", "filesystem-read-only", True),
            ("disk", "nvme0", "nvme-state", "live"),
        ]
    )


def test_services_that_failed(root: Path) -> None:
    row = "openibd.service loaded failed failed openibd - configure Mellanox devices"
    script = next(each.text for each in all_collectors() if each.name == "services")
    assert collect("services", root, programs={"systemctl": f"echo '{row}'"})[0] == 77, "behind another root"
    programs = root / "programs"
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "ROOT": ""}
    done = subprocess.run(["sh", "-s"], input=script, capture_output=True, text=True, timeout=60, env=environment)
    assert (done.returncode, done.stdout) == (0, f"{row}\n")
    records = read([Input("t", None, [done.stdout.encode()])], workers=1)
    assert [event.kind for event in records.events] == snapshot(["service-failed-hca-driver"])
    (programs / "systemctl").write_text("#!/bin/sh\necho System has not been booted with systemd >&2\nexit 1\n")
    done = subprocess.run(["sh", "-s"], input=script, capture_output=True, text=True, timeout=60, env=environment)
    assert (done.returncode, done.stderr) == (77, "System has not been booted with systemd\n")


def test_slurm_tells_of_this_node(root: Path) -> None:
    text = "NodeName=gpu02 Arch=x86_64 CoresPerSocket=64\n   State=DOWN*+DRAIN ThreadsPerCore=2 TmpDisk=0 Weight=1\n"
    status, output, _ = collect("slurm-node", root, programs={"scontrol": f"cat <<'END'\n{text}END"})
    assert (status, output) == (0, text)
    assert collect("slurm-node", root, programs={"scontrol": "echo Node x not found; exit 1"})[::2] == (
        77,
        "Node x not found\n",
    )
