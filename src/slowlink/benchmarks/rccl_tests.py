"""AMD's rccl-tests. JSON is asked for with ``-Z json -x FILE`` (2025), ``-Z json -X FILE`` or ``-J FILE`` (2026)."""

from __future__ import annotations

from typing import ClassVar

from slowlink.benchmarks.perf_programs import JsonOption, PerfPrograms


class RcclTests(PerfPrograms):
    """``all_reduce_perf`` and its kin, for ROCm."""

    name: ClassVar[str] = "rccl-tests"
    directories: ClassVar[tuple[str, ...]] = (
        "/opt/rccl-tests/build",
        "/opt/rocm/rccl-tests/build",
        "/opt/rocm/bin",
        "/opt/rocm*/share/rccl-tests/build",
        "/usr/local/rccl-tests/build",
        "/workspace/rccl-tests/build",
        "/root/rccl-tests/build",
    )
    json_file: ClassVar[str] = "rccl-tests.json"
    json_options: ClassVar[tuple[JsonOption, ...]] = (
        JsonOption("json", ("-J",)),
        JsonOption("rccl-json", ("-Z", "json", "-X")),
        JsonOption("rccl-json-short", ("-Z", "json", "-x")),
    )


BENCHMARK = RcclTests()
