"""Which algorithm and protocol NCCL chose for a call (TUNING)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from slowlink.model.nccl import AlgorithmChoice
from slowlink.parsers.nccl.nccl_log.message import At, NcclMessage, Sample, harmless, sample

_ALGORITHMS = ("TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS", "NVLS_TREE", "PAT")
_PROTOCOLS = ("LL", "LL128", "SIMPLE")


def _name(text: str, names: tuple[str, ...]) -> str:
    number = int(text) if text.isdecimal() else -1
    return names[number] if 0 <= number < len(names) else text


def _choice(match: re.Match[str], at: At) -> Iterator[AlgorithmChoice]:
    yield AlgorithmChoice(
        match["name"],
        int(match["size"]),
        _name(match["algorithm"], _ALGORITHMS),
        _name(match["protocol"], _PROTOCOLS),
        at.process,
        at.ref,
    )


MESSAGES = (
    NcclMessage(
        r"(?:(?P<name>[A-Za-z]+): )?(?P<size>\d{1,19}) Bytes -> Algo (?P<algorithm>\d|[A-Z][A-Z_]+) "
        r"proto (?P<protocol>\d|[A-Z][A-Z0-9]+)(?= |$)",
        (
            Sample("2.7-2.22", "67108864 Bytes -> Algo 1 proto 2 time 1342.500000"),
            Sample("2.23", "AllReduce: 67108864 Bytes -> Algo 5 proto 2 time 842.500000"),
            *sample(
                "2.24+",
                "AllReduce: 8589934592 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}",
                "AllGather: 1024 Bytes -> Algo PAT proto LL channel{Lo..Hi}={0..3}",
                "ReduceScatter: 1024 Bytes -> Algo RING proto LL128 channel{Lo..Hi}={0..3}",
                "Broadcast: 1024 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..3}",
                "Reduce: 1024 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..3}",
            ),
        ),
        _choice,
        subsystem="TUNING",
    ),
    harmless(
        r"[A-Za-z]+ \[(?:Symmetric|Copy Engine|Hierarchical CE)\]: \d+ Bytes -> ",
        *sample(
            "2.27+",
            "AllReduce [Symmetric]: 1048576 Bytes -> Kernel AllReduce_AGxLL_R nchannels 8 nthreads 512",
            "AllGather [Copy Engine]: 1048576 Bytes -> cudaMemcpyBatchAsync",
        ),
        subsystem="TUNING",
    ),
    harmless(
        r" *(?:Latency/AlgBw|Max NThreads|Algorithm|Protocol|Broadcast|Reduce|AllGather|ReduceScatter|AllReduce) *\|",
        *sample(
            "all",
            "  Algorithm   |                            Tree                  |                      "
            "      Ring                  |",
            "  Protocol    |             LL |          LL128 |         Simple |",
            " Max NThreads |            512 |            640 |            512 |",
            "    Broadcast |     0.0/   0.0 |     0.0/   0.0 |     0.0/   0.0 |     7.6/  24.0 |",
            "ReduceScatter |     0.0/   0.0 |     0.0/   0.0 |     0.0/   0.0 |     9.1/  48.0 |",
            "Latency/AlgBw |    Tree/    LL |    Tree/ LL128 |    Tree/Simple |",
        ),
        subsystem="TUNING",
    ),
    harmless(
        r"threadThresholds |Tuner: |Using tuner|[\w:]+: tuner chunk size",
        *sample("all", "threadThresholds 8/8/64 | 128/8/64 | 512 | 512"),
        subsystem="INIT",
    ),
)
