"""A heap of two jobs, one sick and one healthy, from the logs to the whole output."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from inline_snapshot import snapshot

from heaps import job, nccl_lines, table
from slowlink.cli.analyze import command

NICS = ("--nics", "2x200")
SICK = job("node06", "node07", sick=True)
WELL = job("other06", "other07")


@pytest.fixture(autouse=True)
def _in_a_directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


def analyze(*words: str) -> tuple[int, str]:
    """Exit status and standard output."""
    result = CliRunner().invoke(command, words, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    assert isinstance(result.return_value, int)
    return result.return_value, result.stdout


def heap(**texts: str) -> None:
    for name, text in texts.items():
        folder = Path("heap") / name
        folder.mkdir(parents=True)
        (folder / "job.log").write_text(text)


def test_each_job_has_its_own_verdict_and_causes() -> None:
    heap(a=SICK, b=WELL)
    Path("heap/b/job.log.gz").write_bytes(gzip.compress(WELL.encode()))
    status, text = analyze("heap", *NICS, "--verbose")
    # How many rules there are is left out: a new rule must not change this.
    text, rules = text.split("\nRules: ")
    assert " 0 broken" in rules
    assert (status, text) == snapshot(
        (
            1,
            """\
DEGRADED  job on node[06-07], a/job.log: node06, node07: GPUDirect RDMA is off: all 8 channels that
          receive over NET/IB are staged through host memory; this explains why all_reduce with 16
          ranks on 2 nodes reaches 9.4 GB/s of an expected 46, 19% of the ring bound of 2 x 200 Gb/s
          (49 GB/s); the other job is healthy

Jobs: 2
  DEGRADED  job on node[06-07], a/job.log
            node06, node07: GPUDirect RDMA is off: all 8 channels that receive over NET/IB are
            staged through host memory; this explains why all_reduce with 16 ranks on 2 nodes
            reaches 9.4 GB/s of an expected 46, 19% of the ring bound of 2 x 200 Gb/s (49 GB/s)
  HEALTHY   job on other[06-07], b/job.log
            all_reduce with 16 ranks on 2 nodes: 47.5 GB/s, 97% of the ring bound of 2 x 200 Gb/s
            (49 GB/s)

GPUDirect RDMA is not used although HCAs are  [gdr-disabled]  error, certain
  job        job on node[06-07], a/job.log
  what       node06, node07: GPUDirect RDMA is off: all 8 channels that receive over NET/IB are
             staged through host memory
  where      nodes node[06-07]
  how sure   certain: the lines below prove it
  evidence   a/job.log:188  node06:4000:4100 [0] NCCL INFO Channel 00/0 : 15[7] -> 0[0] [receive]
             via NET/IB/0
               observed via NET/IB/0, expected /GDRDMA; and 1 line like it, up to line 240
             a/job.log:322  8589934592    2147483648     float     sum      -1  1713213    5.01
             9.40       0  1714684    5.01    9.39       0
               observed 9.40 GB/s at 8 GiB, expected at least 39 GB/s: ring: NICs 2 x 200 Gb/s x
               0.981 = 49.0, PCIe of the GPUs 8 GPUs x 28.6 (PCIe Gen4 x16) = 228.8, NVLink 274 x
               8/7 = 313.1 (usually 274.3); the least is NICs, 49.0 GB/s; healthy systems reach
               about 94% of it (ring over several nodes, all-reduce; 32 published results at 0.86 to
               1.08 of it); NICs given: 2 x 200 Gb/s; GPU NVIDIA A100-SXM4-80GB as printed
  explains   busbw-below-expected: all_reduce with 16 ranks on 2 nodes reaches 9.4 GB/s of an
             expected 46, 19% of the ring bound of 2 x 200 Gb/s (49 GB/s)
  do         See whether the peer-memory module is there, and load it.
             $ lsmod | grep -E 'peermem|nv_peer_mem' || modprobe nvidia_peermem
             Let NCCL say why.
             $ export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,NET,GRAPH
             Look at the distance between each GPU and its HCA.
             $ nvidia-smi topo -m
  see        https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html

Shown to be right
  job on node[06-07], a/job.log: NCCL uses the network IB
  job on other[06-07], b/job.log: all_reduce with 16 ranks on 2 nodes: 47.5 GB/s, 97% of the ring
  bound of 2 x 200 Gb/s (49 GB/s)
  job on other[06-07], b/job.log: GPUDirect RDMA is used on every channel between nodes (NET/IB)
  job on other[06-07], b/job.log: all 16 ranks came up and talk peer to peer and over RDMA with
  GPUDirect between nodes, which says nothing about bandwidth
  job on other[06-07], b/job.log: NCCL uses the network IB

Measured (bus bandwidth in GB/s)
  where        collective  ranks  nodes  sizes          peak     at  expected  of bound
  a/job.log:2  all_reduce     16      2  8 MiB - 8 GiB   9.4  8 GiB   39.2-49      19 %
  b/job.log:2  all_reduce     16      2  8 MiB - 8 GiB  47.5  8 GiB   39.2-49      97 %
  expected: ring: NICs 2 x 200 Gb/s x 0.981 = 49.0, PCIe of the GPUs 8 GPUs x 28.6 (PCIe Gen4 x16) =
  228.8, NVLink 274 x 8/7 = 313.1 (usually 274.3); the least is NICs, 49.0 GB/s; healthy systems
  reach about 94% of it (ring over several nodes, all-reduce; 32 published results at 0.86 to 1.08
  of it); NICs given: 2 x 200 Gb/s; GPU NVIDIA A100-SXM4-80GB as printed

Known from the input
  nccl=2.21.5  cuda=12.4  nranks=16  nnodes=2  gpus_per_node=8  gpu=NVIDIA A100-SXM4-80GB
  hardware_basis=NICs given: 2 x 200 Gb/s; GPU NVIDIA A100-SXM4-80GB as printed  network=IB
  hcas=mlx5_[0-1]  channels=4  nvls_channels=0  environment=NCCL_ALGO=Ring, NCCL_DEBUG=INFO
  job on node[06-07], a/job.log:  hosts=node[06-07]  transport=NET/IB  gdr=off
  job on other[06-07], b/job.log:  hosts=other[06-07]  transport=NET/IB/GDRDMA  gdr=on

Read
  heap/a/job.log  (commands, nccl-tests, nccl-log)  328 lines: 305 used, 23 ignored, 0 unread
  heap/b/job.log  (commands, nccl-tests, nccl-log)  360 lines: 337 used, 23 ignored, 0 unread
  heap/b/job.log.gz  (commands, nccl-tests, nccl-log)  a copy of heap/b/job.log, counted once
""",
        )
    )


def test_the_fault_of_one_job_does_not_explain_the_bandwidth_of_another() -> None:
    """Once a cause, certain: GPUDirect RDMA was off on hosts that the table does not name."""
    heap(a=nccl_lines(SICK), b=table(job("other06", "other07", sick=True)))
    status, text = analyze("heap", *NICS, "--format", "json")
    report = json.loads(text)
    found = [(each["job"], each["cause"], each["explains"]) for each in report["diagnoses"]]
    assert (status, found) == snapshot(
        (
            1,
            [
                ("job on node[06-07], a/job.log", "gdr-disabled", []),
                ("job on other[06-07], b/job.log", "busbw-below-expected", []),
            ],
        )
    )
    assert [(each["label"], each["verdict"], each["causes"]) for each in report["jobs"]] == snapshot(
        [
            ("job on node[06-07], a/job.log", "degraded", ["gdr-disabled"]),
            ("job on other[06-07], b/job.log", "degraded", ["busbw-below-expected"]),
        ]
    )


def test_jobs_that_are_all_healthy_are_a_healthy_heap() -> None:
    heap(a=job("node06", "node07"), b=WELL)
    assert analyze("heap", *NICS, "-q") == snapshot(
        (
            0,
            "HEALTHY: 2 jobs: job on node[06-07], a/job.log: all_reduce with 16 ranks on 2 nodes: 47.5 GB/s, 97% of the ring bound of 2 x 200 Gb/s (49 GB/s); job on other[06-07], b/job.log: all_reduce with 16 ranks on 2 nodes: 47.5 GB/s, 97% of the ring bound of 2 x 200 Gb/s (49 GB/s)\n",
        )
    )


def test_what_is_unknown_of_one_job_is_not_healthy() -> None:
    heap(a=nccl_lines(job("node06", "node07")), b=WELL)
    assert analyze("heap", *NICS, "-q") == snapshot(
        (
            3,
            "INCONCLUSIVE: job on node[06-07], a/job.log: nothing was measured; what the input shows is right: GPUDirect RDMA is used on every channel between nodes (NET/IB); all 16 ranks came up and talk peer to peer and over RDMA with GPUDirect between nodes, which says nothing about bandwidth; the other job is healthy\n",
        )
    )


def test_a_text_without_a_job_leaves_the_verdict_as_it_is() -> None:
    heap(a=job("node06", "node07"), b=WELL)
    Path("heap/readme.txt").write_text("Logs of two jobs.\n")
    status, text = analyze("heap", *NICS, "-q")
    assert (status, text.partition(":")[0]) == (0, "HEALTHY")


def test_other_formats_lead_with_the_same_table() -> None:
    heap(a=SICK, b=WELL)
    _, markdown = analyze("heap", *NICS, "--format", "markdown")
    assert [line for line in markdown.splitlines() if line.startswith("| ")][:4] == snapshot(
        [
            "| Verdict | Job | Answer |",
            "| --- | --- | --- |",
            "| DEGRADED | job on node\\[06-07\\], a/job.log | node06, node07: GPUDirect RDMA is off: all 8 channels that receive over NET/IB are staged through host memory; this explains why all\\_reduce with 16 ranks on 2 nodes reaches 9.4 GB/s of an expected 46, 19% of the ring bound of 2 x 200 Gb/s (49 GB/s) |",
            "| HEALTHY | job on other\\[06-07\\], b/job.log | all\\_reduce with 16 ranks on 2 nodes: 47.5 GB/s, 97% of the ring bound of 2 x 200 Gb/s (49 GB/s) |",
        ]
    )
    _, page = analyze("heap", *NICS, "--format", "html")
    assert page.count('<td class="place">job on other[06-07], b/job.log</td>') == 1
    _, suite = analyze("heap", *NICS, "--format", "junit")
    assert [line.strip() for line in suite.splitlines() if 'name="job on' in line] == snapshot(
        [
            '<testcase classname="slowlink" name="job on node[06-07], a/job.log" time="0">',
            '<testcase classname="slowlink" name="job on other[06-07], b/job.log" time="0">',
        ]
    )


def test_one_job_has_no_table_of_jobs() -> None:
    heap(a=SICK)
    _, text = analyze("heap", *NICS, "--format", "json")
    report = json.loads(text)
    assert (report["jobs"], report["diagnoses"][0]["job"]) == ([], "")
