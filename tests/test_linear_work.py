"""Twice as much input is at most twice as much work, whatever tool printed it. Work is counted in lines of code."""

import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import slowlink
from slowlink.facts.readings import without
from slowlink.facts.summary.nccl import details
from slowlink.model.report import Suspect
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading
from slowlink.parsers.benchmarks.nccl_tests import open_runs
from slowlink.parsers.forms import json_blocks
from slowlink.parsers.nccl.nccl_log import fold
from slowlink.parsers.reading.chunks import cut_of
from slowlink.parsers.reading.once import refusals
from slowlink.report.wording import where

FEW = 40
"""Pieces of the smallest input; then twice, and four times as many."""
MARGIN = 1.05
"""The work is a straight line as far as that, whatever memos earlier tests have filled; of a square it would double."""

_TABLE = """# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
# Using devices
#  Rank  0 Group  0 Pid {i} on n{i} device  0 [0x1b] NVIDIA H100
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576        262144     float     sum      -1    20.21   51.88   51.88      0    20.20   51.91   51.91      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 51.9
"""
_GIDS = "DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---\n"
_ENVIRONMENT = "HOME=/root\nPATH=/bin\nSHELL=/bin/sh\n"

OUTPUTS = {
    "adapters": (
        "",
        "CA 'mlx5_{i}'\n\tCA type: MT{i}\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: {state}\n\t\tPhysical state: Polling\n"
        "\t\tRate: 1{i}\n\t\tBase lid: {i}\n\t\tPort GUID: 0xa0{i}\n\t\tLink layer: InfiniBand\n",
    ),
    "links of adapters": ("", "link mlx5_{i}/1 state DOWN physical_state POLLING netdev if{i}\n"),
    "devices of a bus": (
        "",
        "{hex}:00.0 3D controller: NVIDIA Corporation Device 2330 (rev a1)\n\tLnkCap: Port #0, Speed 32GT/s, Width x16\n"
        "\tLnkSta: Speed 2.5GT/s (downgraded), Width x4 (downgraded)\n",
    ),
    "GPUs": (
        "",
        "GPU 0000{hex}:00.0\n    Product Name                          : NVIDIA H100\n    Persistence Mode : Disabled\n"
        "    PCI\n        Bus : 0x1B\n        GPU Link Info\n            PCIe Generation\n                Max : 5\n"
        "                Current : 1\n    ECC Errors\n        Volatile\n            SRAM Uncorrectable : {i}\n",
    ),
    "ranks of many hosts": (
        "# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1\n#\n"
        "# Using devices\n",
        "#  Rank {i} Group  0 Pid {i} on n{i} device  0 [0x1b] NVIDIA H100\n#  Rank {i}1 Group  0 Pid {i}1 on n{i} device  1 "
        "[0x1c] NVIDIA H100\n",
    ),
    "GIDs": (_GIDS, "mlx5_{i}\t1\t3\tfe80:0000:0000:0000:0000:0000:0a00:00{octet}\t10.0.1.{octet}  \tv2\tif{i}\n"),
    "environment": (_ENVIRONMENT, "VAR_{i}=a{i}\n"),
    "environment of NCCL": (_ENVIRONMENT, "NCCL_V{i}=a{i}\n"),
    "interfaces": (
        "",
        "{i}: eth{i}: <NO-CARRIER,UP> mtu 9000 qdisc mq state DOWN mode DEFAULT group default qlen 1000\n"
        "    link/ether aa:bb:cc:00:00:{octet} brd ff:ff:ff:ff:ff:ff\n",
    ),
    "headings of nodes": (
        "",
        "===== host{i} =====\nCA 'mlx5_0'\n\tCA type: MT4129\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n"
        "\t\tRate: {i}\n",
    ),
    "prefixes of nodes": ("", "host{i}: NVRM: Xid (PCI:0000:3b:00): 79, pid={i}, GPU has fallen off the bus.\n"),
    "nodes with other parts": (
        "",
        "----------------\nhost{i}\n----------------\nlink mlx5_{i}/1 state DOWN physical_state POLLING\n",
    ),
    "errors of a fabric": (
        "",
        'host{i}: Errors for 0x0c42a10300a{i} "leaf{i}"\n'
        "host{i}:    GUID 0x0c42a10300a{i} port 2: [PortRcvErrors == 1{i}]\n"
        "host{i}: ## Summary: 5 nodes checked, 1 bad nodes found\n"
        "host{i}: ##          200 ports checked, 1 ports have errors beyond threshold\n",
    ),
    "partition keys": ("", "host{i}: /sys/class/infiniband/mlx5_0/ports/1/pkeys/0:0x{key}\n"),
    "runs of a benchmark": ("", _TABLE),
    "stress tests before a benchmark": ("", "$ dcgmi diag -r {i}\n$ ./all_reduce_perf -b 8\n" + _TABLE),
    "jobs that measure": (
        "",
        "$ mpirun -np 8 -x NCCL_ALGO=A{i} ./all_reduce_perf -b 8M -e 1G\n"
        "n{i}:{i}:{i} [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n"
        "n{i}:{i}:{i} [0] NCCL INFO NCCL_ALGO set by environment to A{i}\n" + _TABLE,
    ),
    "commands": ("", "$ mpirun -np {i} -H h{i}:8,g{i}:8 -x NCCL_A{i}=a ./all_reduce_perf -b 8 -e 1G\n"),
    "warnings of hosts": (
        "",
        "node{i}:{i}:{i} [0] NCCL WARN NET/IB : Got completion from peer 10.0.1.{octet}<1234> with status=12 opcode=0 "
        "len=0 vendor err 129 (Recv) hca m{i}\n",
    ),
    "faults of GPUs": ("", "[ {i}.1] NVRM: Xid (PCI:{hex}:3b:00): 79, pid={i}, name=p{i}, Ch 000\n"),
    "watchdogs": (
        "",
        "[rank{i}]:[E1 12:00:00 ProcessGroupNCCL.cpp:1] [Rank {i}] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum={i}, OpType=ALLREDUCE, NumelIn={i}, NumelOut=1, Timeout(ms)=600000) ran for 600001 "
        "milliseconds before timing out.\n",
    ),
    "pings that nobody answers": (
        "",
        "PING node{i} (10.0.1.{octet}) 56(84) bytes of data.\n\n--- node{i} ping statistics ---\n"
        "4 packets transmitted, 0 received, 100% packet loss, time 3060ms\n\n",
    ),
    "what TCP sent again": (
        "",
        "$ ssh host{i} nstat -az\nTcpOutSegs                      {i}             0.0\n"
        "TcpRetransSegs                  {i}             0.0\n",
    ),
    "disks and memory of nodes": (
        "",
        "$ ssh host{i} 'df -Ph; free -m'\nFilesystem      Size  Used Avail Use% Mounted on\n"
        "/dev/sda1       100G  100G     0 100% /scratch{i}\n"
        "              total        used        free      shared  buff/cache   available\n"
        "Mem:         515000      514000         100          10         900         200\n",
    ),
    "MTU of devices": (
        "",
        "q{i} $ ibv_devinfo -d mlx5_bond_{i} | grep active_mtu\n        active_mtu:             {mtu}\n",
    ),
    "errors of AMD's GPUs": (
        "",
        "[ {i}.1] amdgpu 0000:43:00.0: amdgpu: ring r{i} timeout, signaled seq=41, emitted seq=43\n"
        "[ {i}.2] amdgpu {hex}:00.0: amdgpu: 3 uncorrectable hardware errors detected in umc block\n",
    ),
    "errors of PCIe devices that recover": (
        "",
        "[ {i}.1] pcieport {hex}:00.0: AER: device recovery successful\n"
        "[ {i}.3] nvidia {hex}:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Receiver ID)\n",
    ),
    "corrected errors of PCIe": (
        "",
        "n{i}: nvidia 0000:3b:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Receiver ID)\n"
        "m{i}: aer_ratelimit: {i} callbacks suppressed\n",
    ),
    "drivers that begin": (
        "",
        "[ {i}.1] mlx5_core {hex}:00.0 e{i}: renamed from eth{i}\n[ {i}.2] mlx5_core {hex}:00.0 e{i}: Link down\n"
        "[ {i}.3] mlx5_core {hex}:00.0 e{i}: Link up\n[ {i}.4] mlx5_core {hex}:00.0 e{i}: Link down\n",
    ),
    "tables under headings": (
        "",
        "### NCCL_MIN_NCHANNELS={i}\n" + _TABLE.replace("1048576        262144", "1073741824  268435456"),
    ),
    "processes that say a line each": (
        "",
        "".join(
            f"{host}{{i}}:{{i}}{rank:02}:1 [0] NCCL INFO Bootstrap : Using e:10.0.0.1<0>\n"
            for host, ranks in (("node", 20), ("x", 2))
            for rank in range(ranks)
        ),
    ),
    "commands for many nodes": (
        "",
        "host{i}: CA 'mlx5_0'\nhost{i}: \tRate: 200\n$ clush -b -w gpu[01-{i}] \"ibstat mlx5_0 1 | grep Rate\"\n",
    ),
    "power supplies of nodes": (
        "",
        "host{i}: PS2 Status       | C9h | ok  | 10.2 | Presence detected, Power Supply AC lost\n",
    ),
    "modules of nodes": (
        "",
        "host{i}: ls: cannot access '/sys/module/nvidia_peermem': No such file or directory\n"
        "host{i}: /sys/class/infiniband/mlx5_0/ports/1/state:4: ACTIVE\nhost{i}: GPU 0: NVIDIA H100 80GB HBM3\n"
        "host{i}: /proc/sys/kernel/osrelease:5.14.0-{i}\n",
    ),
    "tests of a benchmark in rows": (
        "",
        "numCycle,collective,ranks,rankspernode,gpusperrank,size,type,redop,inplace,time,algbw,busbw,#wrong\n"
        '{i},"AllReduce",{i},{i},{i},{i},1073741824,"float","sum",{i},6000.000000,178.956971,335.544320,"{i}"\n'
        '{i},"AllReduce",{i},{i},{i},{i},1073741824,"float","sum",{i},6100.000000,176.023250,330.043594,"N/A"\n',
    ),
    "versions of processes": ("", "n{i}:{i}:1 [0] NCCL INFO NCCL version 2.{i}.5+cuda{i}.4\n"),
    "JSON that nobody closes": ("", '{{\n "a": [\n {{"b": {i}}},\n'),
}


@pytest.fixture(autouse=True)
def nothing_was_read() -> None:
    """A text that came for the eighth time is tried, which would fall into the one or the other of the counts."""
    refusals._OF.clear()


def _steps(call: Callable[[], object], within: str = "") -> int:
    """Lines of slowlink's code, or of this part of it, that ``call`` runs."""
    steps = 0
    root = str(Path(slowlink.__file__).parent / within)

    def inside(_frame: FrameType, event: str, _arg: object) -> Any:
        nonlocal steps
        steps += event == "line"
        return inside

    def entered(frame: FrameType, _event: str, _arg: object) -> Any:
        return inside if frame.f_code.co_filename.startswith(root) else None

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        call()
    finally:
        sys.settrace(before)
    return steps


def _text(output: str, pieces: int) -> str:
    head, piece = OUTPUTS[output]
    state, mtu = ("Active", "Down"), ("1024 (3)", "4096 (5)")
    return head + "".join(
        piece.format(
            i=i,
            hex=f"{i // 90 + 1000}:{i % 90 + 10}",
            octet=i % 90 + 10,
            key=i - 5_000,
            state=state[i % 2],
            mtu=mtu[i % 2],
        )
        for i in range(10_000, 10_000 + pieces)  # as long as one another: a new shape of line is more work
    )


@pytest.mark.parametrize("output", OUTPUTS)
def test_twice_as_much_output_is_at_most_twice_as_much_work(
    output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_runs, "_MOST_OPEN", 16)  # each line looks at all of them, and no more
    log = tmp_path / "log"
    counted = []
    log.write_text(_text(output, FEW))
    slowlink.analyze(str(log))  # fills the memos
    for pieces in (FEW, 2 * FEW, 4 * FEW):
        log.write_text(_text(output, pieces))
        counted.append(_steps(lambda: slowlink.analyze(str(log))))
    few, twice, more = counted
    assert more - twice <= 2 * MARGIN * (twice - few)


@pytest.mark.parametrize(
    ("output", "module"),
    [
        ("MTU of devices", "rules/links/mtu_mismatch.py"),
        ("MTU of devices", "parsers/forms/keyed_blocks.py"),
        ("errors of AMD's GPUs", "rules/gpu/amdgpu_errors.py"),
        ("errors of PCIe devices that recover", "rules/pcie/pcie_errors.py"),
        ("corrected errors of PCIe", "rules/pcie/pcie_errors_corrected.py"),
        ("drivers that begin", "rules/links/link_starts.py"),
        ("tables under headings", "rules/software/compared_settings.py"),
        ("tables under headings", "rules/software/tuning_missing.py"),
        ("processes that say a line each", "parsers/nccl/nccl_log/torn_names.py"),
        ("errors of a fabric", "rules/fabric/fabric_counts.py"),
        ("commands for many nodes", "parsers/forms/keyed_blocks.py"),
        ("power supplies of nodes", "rules/node/bmc_faults.py"),
        ("versions of processes", "facts/summary/nccl.py"),
        ("stress tests before a benchmark", "rules/gpu/gpu_busy.py"),
        ("modules of nodes", "rules/gpudirect/"),
        ("modules of nodes", "facts/dma_buf.py"),
        ("tests of a benchmark in rows", "rules/standing.py"),
        ("partition keys", "rules/rdma/partition_mismatch.py"),
    ],
)
def test_no_part_looks_through_all_for_each(output: str, module: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    counted = []
    log.write_text(_text(output, FEW))
    slowlink.analyze(str(log))  # fills the memos
    for pieces in (FEW, 2 * FEW, 4 * FEW):
        log.write_text(_text(output, pieces))
        counted.append(_steps(lambda: slowlink.analyze(str(log)), module))
    few, twice, more = counted
    assert few > FEW
    assert more - twice <= 2 * MARGIN * (twice - few)


def _read_a_channel_of_each(threads: Iterable[int]) -> None:
    reading = fold.NcclFold()
    for line, thread in enumerate(threads, 1):
        reading.feed(f"n{thread}:{thread}:1 [0]", "INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC", line, "")


def test_a_crowd_of_threads_is_not_counted_anew_for_each_that_finds_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []
    for room in (FEW, 2 * FEW, 4 * FEW):
        monkeypatch.setattr(fold, "_MAX_THREADS", room)
        lines = tuple(range(1000, 1000 + 2 * room))
        counted.append(_steps(partial(_read_a_channel_of_each, lines), "parsers/nccl/nccl_log/fold.py"))
    few, twice, more = counted
    assert more - twice <= 2 * MARGIN * (twice - few)


class _CountingDecoder:
    """Counts the characters that it is given to read."""

    def __init__(self) -> None:
        self.characters = 0
        self._decoder = json_blocks._DECODER

    def raw_decode(self, text: str, at: int = 0) -> tuple[object, int]:
        self.characters += len(text) - at
        return self._decoder.raw_decode(text, at)


@pytest.mark.parametrize(
    "piece",
    [
        '{\n "a": [\n {"b": 1},\n',  # opens without end
        "{x\n",  # goes wrong at once
        '{"a": 1,\n}\n',
        '["a",\n',
        "[\n",
        "{\n}\n{",
    ],
)
def test_a_part_that_may_end_inside_json_is_read_a_few_times_at_most(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoder = _CountingDecoder()
    monkeypatch.setattr(json_blocks, "_DECODER", decoder)
    data = (piece * 100_000)[:200_000].encode() + b"{\n"
    assert 0 <= cut_of(data) <= len(data)
    # Each value costs a first window, deeper ones than are read cost what Python takes until it gives up.
    assert decoder.characters <= len(data) / len(piece) * json_blocks._FIRST_WINDOW + 16 * len(data)


class _Compared(str):
    """A text that counts how often it is compared."""

    comparisons = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        _Compared.comparisons += 1
        return str.__eq__(self, other)


def test_distinct_details_of_messages_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Compared, "comparisons", 0)
    peers = [f"10.0.{i // 200}.{i % 200}" for i in range(2000)]
    assert details({"peer": _Compared(peer)} for peer in [*peers, *peers]) == {"peer": peers}
    assert _Compared.comparisons < 10 * len(peers)


def test_readings_are_not_compared_with_all_that_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Compared, "comparisons", 0)
    readings = [
        Reading("process-name", Part("process", _Compared(f"{i}")), "python", Ref("log", i, "")) for i in range(2000)
    ]
    assert without(readings, readings[::2]) == readings[1::2]
    assert _Compared.comparisons < 10 * len(readings)


def test_distinct_suspects_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Compared, "comparisons", 0)
    nodes = [Suspect("node", _Compared(f"n{i}")) for i in range(1, 2001)]
    assert where((*nodes, Suspect("hca", "mlx5_3"), *nodes)) == "nodes n[1-2000]; hca mlx5_3"
    assert _Compared.comparisons < 10 * len(nodes)


_LOG_AND_TABLE = "n{i}:{i}:1 [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n" + _TABLE.replace(
    "#       size", "#  Rank  1 Group  0 Pid {i} on g{i} device  0 [0x1b] NVIDIA H100\n#       size"
)


@pytest.mark.parametrize(
    ("piece", "module"),
    [
        (_LOG_AND_TABLE, "facts/jobs/cut.py"),
        (
            "CA 'mlx5_0'\n\tNode GUID: 0x7cfe9003001{i}\nCA 'mlx5_0'\n\tNode GUID: 0x7cfe9003002{i}\n",
            "facts/placing/nodes_apart.py",
        ),
    ],
    ids=["logs and tables", "nodes without names"],
)
def test_no_part_looks_through_all_files_for_each(piece: str, module: str, tmp_path: Path) -> None:
    counted = []
    slowlink.analyze(_files(tmp_path / "first", piece, FEW // 2))  # fills the memos
    for files in (FEW // 2, FEW, 2 * FEW):
        folder = _files(tmp_path / str(files), piece, files)
        counted.append(_steps(partial(slowlink.analyze, folder), module))
    few, twice, more = counted
    assert few > FEW
    assert more - twice <= 2 * MARGIN * (twice - few)


def _files(folder: Path, piece: str, files: int) -> str:
    folder.mkdir()
    for i in range(10_000, 10_000 + files):
        (folder / f"{i}.log").write_text(piece.format(i=i))
    return str(folder)
