"""slowlink build-tests: prerequisites, the steps, and what came out."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from elf_file import elf

from slowlink.cli.main import cli
from slowlink.errors import SlowlinkError
from slowlink.model.plan import Step
from slowlink.workflows.build_tests import Build, Wish, build, plan_build, verify

MPI_PROGRAM = elf(["libnccl.so.2", "libmpi.so.40"])


def having(*names: str) -> Callable[[str], str | None]:
    return lambda name: f"/usr/bin/{name}" if name in names else None


def touch(*paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def source(tmp_path: Path) -> Path:
    touch(tmp_path / "src" / "Makefile", tmp_path / "src" / "src" / "all_reduce.cu")
    return tmp_path / "src"


def test_everything_missing_is_said_at_once(tmp_path: Path) -> None:
    planned = plan_build(Wish(tmp_path / "none"), which=having(), root=tmp_path)
    names = ["make", "a C++ compiler", "nvcc", "nccl.h", "mpi.h", "the sources of nccl-tests"]
    assert [missing.what for missing in planned.missing] == names
    assert all(missing.install and missing.looked for missing in planned.missing)


def test_what_is_there_is_used(tmp_path: Path) -> None:
    root = tmp_path / "root"
    touch(root / "usr/include/nccl.h", root / "usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h")
    touch(root / "usr/local/cuda/bin/nvcc")
    planned = plan_build(Wish(source(tmp_path)), which=having("make", "g++"), root=root, jobs=4)
    assert planned.missing == ()
    (step,) = planned.steps
    assert step.argv == (
        *("/usr/bin/make", "-C", str(tmp_path / "src"), "-j4", "MPI=1", f"CUDA_HOME={root}/usr/local/cuda"),
        *(f"MPI_HOME={root}/usr/lib/x86_64-linux-gnu/openmpi", f"NCCL_HOME={root}/usr"),
        f"BUILDDIR={tmp_path}/src/build",
    )


def test_fetching_clones_first(tmp_path: Path) -> None:
    planned = plan_build(Wish(tmp_path / "new", fetch=True), which=having("make", "git", "g++"), root=tmp_path)
    assert [step.argv[0] for step in planned.steps] == ["/usr/bin/git", "/usr/bin/make"]
    assert planned.steps[0].argv[-2:] == ("https://github.com/NVIDIA/nccl-tests.git", str(tmp_path / "new"))


def test_a_given_home_is_the_only_place(tmp_path: Path) -> None:
    touch(tmp_path / "usr/include/nccl.h")
    planned = plan_build(Wish(tmp_path, nccl_home=tmp_path / "nccl"), which=having(), root=tmp_path)
    assert "nccl.h" in [missing.what for missing in planned.missing]


def test_a_build_that_left_mpi_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "all_reduce_perf").write_bytes(elf(["libnccl.so.2"]))
    with pytest.raises(SlowlinkError, match="is not linked with MPI"):
        verify(tmp_path)
    (tmp_path / "all_reduce_perf").write_bytes(MPI_PROGRAM)
    assert verify(tmp_path).with_mpi
    with pytest.raises(SlowlinkError, match="is not there"):
        verify(tmp_path / "none")


def test_steps_run_in_order_and_the_first_failure_ends_them(tmp_path: Path) -> None:
    (tmp_path / "program").write_bytes(MPI_PROGRAM)
    copy = Step(("cp", str(tmp_path / "program"), str(tmp_path / "all_reduce_perf")))
    said: list[str] = []
    assert build(Build((copy,), tmp_path, ()), said.append).with_mpi
    assert said == [" ".join(copy.argv)]
    with pytest.raises(SlowlinkError, match="cp failed"):
        build(Build((Step(("cp", str(tmp_path / "none"), str(tmp_path))), copy), tmp_path, ()), said.append)


CONFIGURE = """\
#!/bin/sh
# Stands in for Open MPI's: takes the same options, and makes an ompi_info that says what they were.
for word in "$@"; do case $word in --prefix=*) home=${word#--prefix=} ;; --with-cuda=*) cuda=${word#--with-cuda=} ;; esac; done
said=false
[ -x "$cuda/bin/nvcc" ] && said=true
cat >Makefile <<END
all:
\ttouch built
install: built
\tmkdir -p $home/bin $home/include
\ttouch $home/include/mpi.h
\tprintf '#!/bin/sh\\\\necho mca:mpi:base:param:mpi_built_with_cuda_support:value:$said\\\\n' >$home/bin/ompi_info
\tchmod 755 $home/bin/ompi_info
END
"""


def openmpi(tmp_path: Path, *, cuda: bool) -> Build:
    """A plan whose steps run here, but for the compiler of CUDA."""
    release = tmp_path / "openmpi-5.0.6"
    release.mkdir()
    (release / "configure").write_text(CONFIGURE)
    (release / "configure").chmod(0o755)
    touch(tmp_path / "usr/include/nccl.h", tmp_path / "cuda/bin/nvcc")
    (tmp_path / "cuda/bin/nvcc").chmod(0o755 if cuda else 0o644)
    wish = Wish(source(tmp_path), prefix=tmp_path / "out", cuda_home=tmp_path / "cuda", openmpi=release)
    (tmp_path / "src/Makefile").write_text(
        f"all:\n\tcp {tmp_path}/program $(MPI_HOME)/include/mpi.h {tmp_path}/out\n"
        f"\tmv {tmp_path}/out/program {tmp_path}/out/all_reduce_perf\n"
    )
    (tmp_path / "program").write_bytes(MPI_PROGRAM)
    return plan_build(wish, which=shutil.which, root=tmp_path, jobs=2)


@pytest.mark.skipif(shutil.which("make") is None or shutil.which("g++") is None, reason="no make or g++")
def test_open_mpi_is_built_with_cuda_first(tmp_path: Path) -> None:
    planned = openmpi(tmp_path, cuda=True)
    assert planned.missing == ()
    assert [step.argv[-1] for step in planned.steps[2:4]] == ["-j2", "install"]
    assert f"MPI_HOME={tmp_path}/out/openmpi" in planned.steps[-1].argv
    assert build(planned, lambda _: None).with_mpi


@pytest.mark.skipif(shutil.which("make") is None or shutil.which("g++") is None, reason="no make or g++")
def test_an_open_mpi_without_cuda_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SlowlinkError, match="was built without CUDA"):
        build(openmpi(tmp_path, cuda=False), lambda _: None)


def test_a_checkout_of_open_mpi_cannot_be_configured(tmp_path: Path) -> None:
    planned = plan_build(Wish(tmp_path, openmpi=tmp_path), which=having(), root=tmp_path)
    assert "the sources of Open MPI" in [missing.what for missing in planned.missing]
    assert "mpi.h" not in [missing.what for missing in planned.missing]
    both = ["build-tests", "--fetch", "--with-openmpi", str(tmp_path), "--mpi-home", str(tmp_path)]
    assert CliRunner().invoke(cli, both).exit_code == 2


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(cli, ["build-tests", "--source", str(tmp_path), "--dry-run"], standalone_mode=False)
    assert result.return_value == 2
    assert "missing: make (looked in: PATH)" in result.output
    assert "MPI=1" in result.output
    assert CliRunner().invoke(cli, ["build-tests"]).exit_code == 2
