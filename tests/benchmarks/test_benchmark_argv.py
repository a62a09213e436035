"""What each benchmark is started with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from slowlink.benchmarks.find import benchmarks
from slowlink.benchmarks.interface import COLLECTIVES, Program, Request
from slowlink.benchmarks.own_module import own_module
from slowlink.benchmarks.perftest import Endpoint, pair, pairs, rank_command
from slowlink.errors import SlowlinkError
from slowlink.probe.options import parse_options

REQUEST = Request("all_reduce", 8, 1 << 30, extra=("-r", "1"))


def argv(name: str, *features: str, request: Request = REQUEST, with_mpi: bool | None = True) -> str:
    program = Program("/b/all_reduce_perf", None, with_mpi, frozenset(features))
    return " ".join(benchmarks()[name].command(request, program).argv)


def test_all_are_found() -> None:
    assert list(benchmarks()) == ["mccl", "nccl-tests", "nvbandwidth", "perftest", "probe", "rccl-tests"]


def test_nccl_tests() -> None:
    assert argv("nccl-tests") == snapshot(
        "/b/all_reduce_perf -b 8 -e 1073741824 -f 2 -g 1 -n 20 -w 5 -c 1 -d float -o sum -r 1"
    )
    assert argv("nccl-tests", "json", "per-iteration") == snapshot(
        "/b/all_reduce_perf -b 8 -e 1073741824 -f 2 -g 1 -n 20 -w 5 -c 1 -d float -o sum "
        "-J {output}/nccl-tests.json -I 1 -r 1"
    )


@pytest.mark.parametrize(
    ("features", "json"),
    [
        ((), ""),
        (("rccl-json-short",), "-Z json -x {output}/rccl-tests.json "),
        (("rccl-json",), "-Z json -X {output}/rccl-tests.json "),
        (("rccl-json", "json"), "-J {output}/rccl-tests.json "),
    ],
)
def test_rccl_tests_by_generation(features: tuple[str, ...], json: str) -> None:
    assert argv("rccl-tests", *features).endswith(f"-o sum {json}-r 1")


def test_mccl_knows_no_json() -> None:
    assert argv("mccl", "json", "rccl-json") == snapshot(
        "/b/all_reduce_perf -b 8 -e 1073741824 -f 2 -g 1 -n 20 -w 5 -c 1 -d float -o sum -r 1"
    )


def test_nccl_tests_are_looked_for_on_path_first_and_with_either_name() -> None:
    assert benchmarks()["nccl-tests"].candidates("all_reduce")[:4] == snapshot(
        (
            "all_reduce_perf_mpi",
            "all_reduce_perf",
            "/opt/nccl-tests/build/all_reduce_perf_mpi",
            "/opt/nccl-tests/build/all_reduce_perf",
        )
    )


def test_a_derivative_is_looked_for_where_it_is_installed_first() -> None:
    """all_reduce_perf on PATH is most often that of nccl-tests."""
    assert benchmarks()["mccl"].candidates("all_reduce") == snapshot(
        (
            "/opt/maca/samples/mccl_tests/perf/mccl_perf/all_reduce_perf",
            "/opt/maca*/samples/mccl_tests/perf/mccl_perf/all_reduce_perf",
            "/opt/maca*/bin/all_reduce_perf",
            "all_reduce_perf",
        )
    )
    assert benchmarks()["rccl-tests"].candidates("all_gather") == snapshot(
        (
            "/opt/rccl-tests/build/all_gather_perf",
            "/opt/rocm/rccl-tests/build/all_gather_perf",
            "/opt/rocm/bin/all_gather_perf",
            "/opt/rocm*/share/rccl-tests/build/all_gather_perf",
            "/usr/local/rccl-tests/build/all_gather_perf",
            "/workspace/rccl-tests/build/all_gather_perf",
            "/root/rccl-tests/build/all_gather_perf",
            "all_gather_perf",
        )
    )


@pytest.mark.parametrize("name", ["nccl-tests", "rccl-tests", "mccl"])
def test_without_mpi_is_refused(name: str) -> None:
    with pytest.raises(SlowlinkError, match="not linked with MPI: every rank would run alone"):
        argv(name, with_mpi=False)
    assert argv(name, with_mpi=None), "a wrapper script cannot be told"


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_the_probe_reads_what_it_is_started_with(collective: str) -> None:
    request = Request(collective, 1024, 4096, iterations=7, check=False, backend="gloo")
    command = benchmarks()["probe"].command(request, Program("/v/bin/python", None, None))
    start = own_module("/v/bin/python", "slowlink.probe")
    assert command.argv[: len(start)] == start
    options = parse_options(command.argv[len(start) :])
    assert (options.collective, options.min_bytes, options.iterations, options.check) == (collective, 1024, 7, 0)
    assert options.output == f"{{output}}/{command.outputs[0]}"
    assert command.gpus_per_rank == 0


def test_perftest_pair() -> None:
    request = Request("ib_write_bw", 65536, 65536, iterations=1000)
    program = Program("/usr/bin/ib_write_bw", None, False, frozenset({"cuda"}))
    found = pair(request, program, Endpoint("node01", "mlx5_0", gpu=0), Endpoint("node02", "mlx5_1"))
    assert (found.server_node, found.client_node) == ("node01", "node02")
    assert " ".join(found.server) == snapshot(
        "/usr/bin/ib_write_bw -F --report_gbits -s 65536 -n 1000 -p 18515 -d mlx5_0 -i 1 --use_cuda=0"
    )
    assert " ".join(found.client) == snapshot(
        "/usr/bin/ib_write_bw -F --report_gbits -s 65536 -n 1000 -p 18515 -d mlx5_1 -i 1 node01"
    )


def test_perftest_pairs_do_not_meet() -> None:
    request = Request("ib_read_lat", 8, 8)
    program = Program("/usr/bin/ib_read_lat", None, False)
    servers = [Endpoint("node01", f"mlx5_{index}") for index in range(2)]
    clients = [Endpoint("node02", f"mlx5_{index}") for index in range(2)]
    found = pairs(request, program, servers, clients, address="10.0.0.1")
    assert [p.server[p.server.index("-p") + 1] for p in found] == ["18515", "18516"]
    assert all("--report_gbits" not in p.client and p.client[-1] == "10.0.0.1" for p in found)


def test_perftest_without_gpu_memory_is_refused() -> None:
    program = Program("/usr/bin/ib_write_bw", None, False, frozenset({"rocm"}))
    with pytest.raises(SlowlinkError, match="was built without --use_cuda"):
        pair(Request("ib_write_bw", 8, 8), program, Endpoint("a", "mlx5_0", gpu=0), Endpoint("b", "mlx5_0"))


def test_both_ranks_of_perftest_run_one_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/py")
    request = Request("ib_write_bw", 2, 8 << 20, duration_s=5)
    program = Program("/p/ib_write_bw", None, False)
    found = rank_command(pairs(request, program, [Endpoint("a")], [Endpoint("b")]))
    start = own_module("/py", "slowlink.launch.pair")
    assert found.argv[: len(start)] == start
    assert " ".join(found.argv[len(start) :]) == snapshot(
        "--server /p/ib_write_bw -F --report_gbits -a -D 5 -p 18515 "
        "--client /p/ib_write_bw -F --report_gbits -a -D 5 -p 18515 a"
    )


def test_nothing_of_the_current_directory_runs_in_our_name(tmp_path: Path) -> None:
    for name in ("slowlink", "json", "msgspec", "runpy", "argparse"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(9)\n")
    argv = [*own_module(sys.executable, "slowlink.probe"), "--help"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: python -m slowlink.probe")


def test_perftest_that_was_read_and_knows_no_gpu_is_refused() -> None:
    ends = Endpoint("a", gpu=0), Endpoint("b", gpu=0)
    with pytest.raises(SlowlinkError, match="was built without --use_rocm"):
        pair(Request("ib_write_bw", 8, 8), Program("/b", None, False), *ends, gpu_memory="rocm")
    # A script says nothing about what it starts.
    found = pair(Request("ib_write_bw", 8, 8), Program("/b", None, None), *ends, gpu_memory="rocm")
    assert "--use_rocm=0" in found.client
