"""What a driver, NCCL's channels and the names of hosts take from the GPUs that a node may have."""

from __future__ import annotations

import pytest

from slowlink.expect.assemble import assemble_expectations
from slowlink.facts.assemble import assemble
from slowlink.facts.hardware.excluded import _by_names
from slowlink.inputs import Input
from slowlink.parsers.reading.read import read
from slowlink.rules.engine import discover, run
from slowlink.workflows.analyze import analyze

TABLE = """#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
  8589934592    2147483648     float     sum      -1    34268  250.67  470.01      0    34268  250.67  470.01      0
"""


def verdict(above: str) -> str:
    return analyze((above + TABLE).encode()).verdict


@pytest.mark.parametrize(
    ("version", "expected"), [("550.163.01", "healthy"), ("535.129.03", "healthy"), ("570.148.08", "inconclusive")]
)
def test_a_driver_older_than_blackwell(version: str, expected: str) -> None:
    loaded = f"NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  {version}  Release Build\n"
    assert verdict(loaded) == expected


@pytest.mark.parametrize(("cuda", "expected"), [("12040", "healthy"), ("12080", "inconclusive")])
def test_a_driver_for_an_older_cuda(cuda: str, expected: str) -> None:
    assert verdict(f"n1:10:11 [0] NCCL INFO cudaDriverVersion {cuda}\n") == expected


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (("NCCL version 2.28.7+cuda13.0", "16 coll channels, 16 collnet channels, 16 nvls channels, 16 p2p channels"), "healthy"),
        (("NCCL version 2.25.1+cuda12.8", "16 coll channels, 16 collnet channels, 16 nvls channels, 16 p2p channels"), "inconclusive"),
        (("NCCL version 2.28.7+cuda13.0", "32 coll channels, 32 collnet channels, 32 nvls channels, 32 p2p channels"), "inconclusive"),
        (
            (
                "NCCL version 2.28.7+cuda13.0",
                "NCCL_MAX_NCHANNELS set by environment to 16",
                "16 coll channels, 16 collnet channels, 16 nvls channels, 16 p2p channels",
            ),
            "inconclusive",
        ),
    ],
)  # fmt: skip
def test_channels_of_nvlink_sharp_that_only_hopper_has(log: tuple[str, ...], expected: str) -> None:
    assert verdict("".join(f"n1:10:11 [0] NCCL INFO {line}\n" for line in log)) == expected


@pytest.mark.parametrize(
    ("hosts", "architecture"),
    [
        (("h200-011", "h200-012"), "hopper"),
        (("cx-h200-33",), "hopper"),
        (("polaris-h200nvl",), "hopper"),
        (("dgx-a100-1", "dgx-a100-2"), "ampere"),
        (("dgx-a100-1", "dgx-h100-2"), ""),
        (("h200-011", "login"), ""),
        (("rack-b201", "rack-b200"), ""),
        (("b200-1",), "blackwell"),
        (("h2001",), ""),
        (("node7",), ""),
        ((), ""),
    ],
)
def test_what_the_names_of_all_hosts_share(hosts: tuple[str, ...], architecture: str) -> None:
    assert _by_names(hosts)[0] == architecture


def test_health_says_what_it_rests_on() -> None:
    """A number that is healthy because a GPU cannot be here names the line, or the hosts, that say so."""
    facts = assemble(
        read([Input("a.log", None, [f"n1:10:11 [0] NCCL INFO cudaDriverVersion 12040\n{TABLE}".encode()])])
    )
    expected = assemble_expectations(facts)
    (proof,) = run(facts, expected, rules=[rule for rule in discover() if rule.id == "busbw-below-expected"]).proofs
    (line,) = proof.evidence
    assert (line.expected or "").endswith("no Blackwell: a driver for CUDA 12040 is older (a.log:1)")
    assert "mi300x" not in proof.message, "a driver of NVIDIA's is there"
