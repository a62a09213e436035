"""bandwidth-unstable on ranks of the probe: on CPU memory it is a warning."""

from __future__ import annotations

import json

import pytest
from inline_snapshot import snapshot
from test_straggler_rank import probe_file
from text_findings import findings_of, remedies_of


def swinging(backend: str) -> str:
    """The probe's file with iterations at 32 MiB that take 1 to 3.4 ms in turn."""
    lines = [json.loads(line) for line in probe_file({}).splitlines()]
    lines[0]["backend"] = backend
    for line in lines[1:]:
        line["size_bytes"] <<= 15
        line["duration_us"] = [[1000.0 + 400.0 * (index % 7) for index in range(20)]] * 8
    return "\n".join(json.dumps(line) for line in lines)


@pytest.mark.parametrize(("backend", "severity"), [("nccl", "error"), ("mpi", "warning"), ("gloo", "warning")])
def test_ranks_that_share_cores_are_no_error(backend: str, severity: str) -> None:
    found = {f.cause: f.severity for f in findings_of("bandwidth-unstable", swinging(backend))}
    assert found["bandwidth-unstable"] == severity


def test_it_says_what_to_do_on_cpu_memory() -> None:
    assert remedies_of("bandwidth-unstable", swinging("mpi"))[0] == snapshot(
        [
            ("Repeat with fewer ranks than cores, on an idle machine.", "slowlink run all_reduce -n 2 --repeat 5"),
            ("See what else runs meanwhile.", "top -b -n 1 | head -15"),
        ]
    )
