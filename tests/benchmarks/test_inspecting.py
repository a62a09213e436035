"""What is read from a program's file, and where programs are found."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from elf_file import elf
from hypothesis import given
from hypothesis import strategies as st

from slowlink.benchmarks.elf import needed_libraries
from slowlink.benchmarks.find import benchmarks, find
from slowlink.benchmarks.inspect_program import inspect_program, is_mpi
from slowlink.errors import SlowlinkError

WITH_MPI = ["libnccl.so.2", "libmpi.so.40", "libc.so.6"]
NEWEST = (
    b"\0-J,--output_file <file>\0-I,--per_iter_timing <0/1>\0# nccl-tests version %s nccl-headers=%d\0" + b"2.19.6\0"
)


def program(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("order", ["<", ">"])
def test_needed_libraries(wide: bool, order: str) -> None:
    assert needed_libraries(io.BytesIO(elf(WITH_MPI, wide=wide, order=order))) == tuple(WITH_MPI)


def test_of_this_very_python() -> None:
    with Path(sys.executable).open("rb") as file:
        found = needed_libraries(file)
    if found is None:
        pytest.skip("Python is no ELF file here")
    assert found == () or any(name.startswith(("libc.", "libpython", "libm.")) for name in found)


def test_what_is_no_program_has_none() -> None:
    assert needed_libraries(io.BytesIO(b"#!/bin/sh\n")) is None
    assert needed_libraries(io.BytesIO(b"")) is None


@given(st.data())
def test_any_damage_gives_a_result(data: st.DataObject) -> None:
    content = bytearray(elf(WITH_MPI))
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    found = needed_libraries(io.BytesIO(bytes(content[:cut])))
    assert found is None or all(isinstance(name, str) for name in found)


def test_names_of_mpi_libraries() -> None:
    names = ["libmpi.so.40", "libmpich.so.12", "libmpi_gnu_91.so.12", "libmpi_ibm.so", "libmpifort.so.12", "libc.so.6"]
    assert [is_mpi(name) for name in names] == [True, True, True, True, False, False]


def test_version_and_features_are_read_and_nothing_is_run(tmp_path: Path) -> None:
    found = inspect_program(str(program(tmp_path / "all_reduce_perf", elf(WITH_MPI, extra=NEWEST))))
    assert (found.version, found.with_mpi, set(found.features)) == ("2.19.6", True, {"json", "per-iteration"})
    found = inspect_program(str(program(tmp_path / "old", elf(["libnccl.so.2"]))))
    assert (found.version, found.with_mpi, found.features) == (None, False, frozenset())
    found = inspect_program(str(program(tmp_path / "static", elf([], extra=b"MPI_Init failed"))))
    assert found.with_mpi is True
    found = inspect_program(str(program(tmp_path / "wrapper", b"#!/bin/sh\ntouch " + bytes(tmp_path / "ran"))))
    assert (found.version, found.with_mpi) == (None, None)
    assert not (tmp_path / "ran").exists()
    assert inspect_program(str(tmp_path / "none")).with_mpi is None


def test_the_one_with_mpi_is_taken(tmp_path: Path) -> None:
    plain = program(tmp_path / "a" / "all_reduce_perf", elf(["libnccl.so.2"]))
    mpi = program(tmp_path / "b" / "all_reduce_perf", elf(WITH_MPI))
    tests = benchmarks()["nccl-tests"]
    assert find(tests, "all_reduce", search=f"{plain.parent}:{mpi.parent}").path == str(mpi)
    assert find(tests, "all_reduce", search=str(plain.parent)).path == str(plain)


def test_a_directory_of_the_user(tmp_path: Path) -> None:
    built = program(tmp_path / "build" / "sendrecv_perf", elf(WITH_MPI))
    tests = benchmarks()["nccl-tests"]
    assert find(tests, "sendrecv", path=str(tmp_path)).path == str(built)
    assert find(tests, "sendrecv", path=str(built)).path == str(built)
    with pytest.raises(SlowlinkError, match=r"no benchmark program in .*; looked for .*/build/reduce_perf"):
        find(tests, "reduce", path=str(tmp_path))
    with pytest.raises(SlowlinkError, match="does not exist"):
        find(tests, "reduce", path=str(tmp_path / "none"))
    built.chmod(0o644)
    with pytest.raises(SlowlinkError, match="is not an executable file"):
        find(tests, "sendrecv", path=str(built))


def test_where_it_looked_is_said(tmp_path: Path) -> None:
    with pytest.raises(SlowlinkError) as raised:
        find(benchmarks()["mccl"], "all_reduce", search=str(tmp_path))
    assert "all_reduce_perf on PATH and in /opt/maca/" in raised.value.message
    assert raised.value.slug == "benchmark-not-found"
