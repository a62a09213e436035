"""Starting without a launcher, without a library, with the wrong one."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from types import ModuleType

import pytest
from fake_backend import FakeBackend

from slowlink.errors import SlowlinkError
from slowlink.probe import __main__ as program
from slowlink.probe.launched import Launched, launched_by
from slowlink.probe.options import Options, parse_options


def test_what_launchers_say() -> None:
    assert launched_by({}) == Launched(0, 1, "")
    openmpi = {
        "OMPI_COMM_WORLD_RANK": "3",
        "OMPI_COMM_WORLD_SIZE": "8",
        "SLURM_PROCID": "0",
        "SLURM_STEP_NUM_TASKS": "1",
    }
    assert launched_by(openmpi) == Launched(3, 8, "Open MPI's mpirun")
    assert launched_by({"PMI_RANK": "1", "PMI_SIZE": "2"}) == Launched(1, 2, "mpiexec")
    assert launched_by({"SLURM_PROCID": "x", "SLURM_STEP_NUM_TASKS": "4"}) == Launched(0, 1, "")
    assert launched_by({"SLURM_PROCID": "0", "SLURM_NTASKS": "4"}) == Launched(0, 1, ""), "salloc's shell is no rank"


def test_missing_mpi4py_is_one_line_and_exit_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    assert program.main(["all_reduce"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("slowlink probe: mpi4py cannot be loaded: ")
    assert err.count("\n") == 1


def test_another_mpi_than_the_launchers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class World:
        def Get_rank(self) -> int:
            return 0

        def Get_size(self) -> int:
            return 1

    package, mpi = ModuleType("mpi4py"), ModuleType("mpi4py.MPI")
    mpi.COMM_WORLD = World()  # type: ignore[attr-defined]
    mpi.Get_library_version = lambda: "MPICH Version: 4.2\nmore"  # type: ignore[attr-defined]
    package.MPI = mpi  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mpi4py", package)
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", mpi)
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "0")
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "4")
    assert program.main(["all_reduce"]) == 2
    assert (
        "Open MPI's mpirun started 4 ranks, but mpi4py's library (MPICH Version: 4.2) sees one"
        in capsys.readouterr().err
    )


def test_missing_torch_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert program.main(["all_reduce", "--backend", "gloo"]) == 2
    assert "torch cannot be loaded" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["all_redoce"], "invalid choice: 'all_redoce'"),
        (["all_reduce", "-b", "8X"], "'8X' is no size"),
        (["all_reduce", "-n", "0"], "it must be 1 or more"),
        (["all_reduce", "-b", "2K", "-e", "1K"], "-b 2048 is above -e 1024"),
        ([], "the following arguments are required: collective"),
    ],
)
def test_options_that_cannot_be(arguments: list[str], said: str) -> None:
    with pytest.raises(SlowlinkError, match=said):
        parse_options(arguments)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-d", "half"], "back end fake has no type 'half'"),
        (["-o", "prod"], "back end fake has no reduction 'prod' (it has: sum)"),
        (["-r", "2"], "-r 2: there are 2 ranks"),
    ],
)
def test_what_the_back_end_cannot_do(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    backend = FakeBackend()
    assert program._run(backend, parse_options(["all_reduce", *arguments])) == 2
    assert said in capsys.readouterr().err
    assert backend.closed
    assert backend.aborted == []


def test_out_of_memory_aborts_all(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    backend = FakeBackend()

    def prepare(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(backend, "prepare", prepare)
    assert program._run(backend, parse_options(["all_reduce", "-e", "8"])) == 3
    assert backend.aborted == [3]
    assert "out of memory: use a smaller -e" in capsys.readouterr().err


def test_ranks_disagree() -> None:
    from slowlink.probe.world import agree

    options = parse_options(["all_reduce"])
    same = f"Onode02\n{options.text()}\n"
    other = f"Onode03\n{parse_options(['all_reduce', '-n', '7']).text()}\n"
    assert isinstance(agree(FakeBackend(3, [same, same]), options), Options)
    with pytest.raises(SlowlinkError, match="rank 2 on node03 differs from the others"):
        agree(FakeBackend(3, [same, other]), options)


def test_nothing_heavy_at_start() -> None:
    code = (
        "import sys, slowlink.probe.__main__\n"
        "print(sorted(set(sys.modules) & {'numpy', 'scipy', 'rich', 'click', 'torch', 'mpi4py', 'jinja2'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.skipif(find_spec("mpi4py") is None, reason="mpi4py is not installed")
def test_without_a_launcher_it_is_one_rank_and_says_so() -> None:
    command = [sys.executable, "-m", "slowlink.probe", "all_reduce", "-e", "8", "-n", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 2 and "MPI library" in done.stderr:
        pytest.skip("there is no MPI library")
    assert done.returncode == 0
    assert "one rank, no launcher" in done.stderr
    assert "#  Rank  0 Group  0 Pid " in done.stdout
