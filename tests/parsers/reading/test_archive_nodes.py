"""Archives of diagnostics: every file is read by what it holds, and all of it is of the node that the archive names."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from slowlink.facts.placing.source_names import node_in_name
from slowlink.workflows.analyze import analyze

XID = "[   77.1] NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, GPU has fallen off the bus.\n"
PORT = "CA 'mlx5_0'\n\tCA type: MT4129\n\tPort 1:\n\t\tState: Down\n\t\tPhysical state: Polling\n\t\tRate: 10\n"
FILES = {
    "sos_commands/kernel/dmesg": XID,
    "sos_commands/infiniband/ibstat": PORT,
    "sos_commands/host/uptime": " 10:11:23 up 12 days,  3:02,  2 users,  load average: 0.10, 0.05, 0.01\n",
    "etc/os-release": 'NAME="Demo Linux"\nVERSION_ID="9"\n',
    "etc/fstab": "/dev/sda1 / xfs defaults 0 0\n",
    "var/log/secure": "a line about an error that nobody made\n",
}


def archive(path: Path, top: str, files: dict[str, str]) -> str:
    with tarfile.open(path, "w:xz" if path.suffix == ".xz" else "w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return str(path)


def found(*paths: str) -> set[tuple[str, tuple[str, ...]]]:
    report = analyze(list(paths))
    return {(d.cause, tuple(s.name for s in d.suspects if s.kind == "node")) for d in report.diagnoses}


@pytest.mark.parametrize("where", ["etc/hostname", "sos_commands/host/hostname", "hostname"])
@pytest.mark.parametrize("ending", ["tar.xz", "tgz"])
def test_the_hostname_file_of_an_archive_names_the_node_of_all_its_files(
    tmp_path: Path, where: str, ending: str
) -> None:
    path = archive(tmp_path / f"report.{ending}", "sosreport-7", {**FILES, where: "gpu-a-17.example.org\n"})
    named = ("gpu-a-17.example.org",)
    assert found(path) == {("gpu-missing", named), ("port-down", named)}


def test_two_archives_are_two_nodes(tmp_path: Path) -> None:
    first = archive(tmp_path / "a.tgz", "sos-1", {"sos_commands/kernel/dmesg": XID, "etc/hostname": "alpha7\n"})
    second = archive(tmp_path / "b.tgz", "sos-1", {"sos_commands/infiniband/ibstat": PORT, "etc/hostname": "beta8\n"})
    assert found(first, second) == {("gpu-missing", ("alpha7",)), ("port-down", ("beta8",))}


def test_a_directory_that_was_unpacked_is_the_same(tmp_path: Path) -> None:
    for name, text in {**FILES, "etc/hostname": "gpu-a-17\n"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert ("gpu-missing", ("gpu-a-17",)) in found(str(tmp_path))


def test_an_archive_of_a_healthy_node_accuses_nobody(tmp_path: Path) -> None:
    quiet = {name: text for name, text in FILES.items() if text not in (XID, PORT)}
    assert found(archive(tmp_path / "a.tgz", "sos-1", {**quiet, "etc/hostname": "alpha7\n"})) == set()


@pytest.mark.parametrize(
    ("source", "node"),
    [
        ("must-gather/nodes/worker-a-7.example.org/dmesg", "worker-a-7.example.org"),
        ("m.tgz!must-gather/cluster/nodes/ip-10-0-1-7/kubelet.log", "ip-10-0-1-7"),
        ("mg/nvidia-bug-report_worker-a-7.log.gz", "worker-a-7"),
        ("nodes/all/x.log", None),
        ("nvidia-bug-report.log.gz", None),
    ],
)
def test_places_that_collectors_name_after_nodes(source: str, node: str | None) -> None:
    assert node_in_name(source, frozenset()) == node
