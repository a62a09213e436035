"""A whole log of two ranks through the whole reader: lines with and without prefix, and lines of other programs."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from nccl_log_reading import read_message

from slowlink.inputs import Input
from slowlink.model.nccl import NcclLog
from slowlink.model.source import SourceStats
from slowlink.parsers.reading.read import read

LOG = """\
+ mpirun -np 2 -H gpu01,gpu02 -x NCCL_DEBUG=INFO ./build/all_reduce_perf -b 8
gpu01:4711:4711 [0] NCCL INFO NCCL_IB_HCA set by environment to mlx5_0,mlx5_1
gpu01:4711:4711 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.7<0>
gpu01:4711:4711 [0] NCCL INFO NCCL version 2.21.5+cuda12.4
gpu02:4800:4800 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.8<0>
gpu01:4711:4760 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.7<0>
gpu01:4711:4760 [0] NCCL INFO Using network IB
gpu02:4800:4860 [0] NCCL INFO Using network IB
step 1 of the application
gpu01:4711:4760 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA
gpu01:4711:4760 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA
gpu02:4800:4860 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [send] via NET/IB/1
gpu01:4711:4760 [0] NCCL INFO a line that no version of the library prints
gpu02:4800:4860 [0] transport/net_ib.cc:1296 NCCL WARN NET/IB: Got completion from peer 10.0.0.7<41> with status=12 opcode=0 len=0 vendor err 129
NCCL INFO Using network Socket
"""


def logs(text: str) -> tuple[tuple[NcclLog, ...], SourceStats]:
    records = read([Input("job.log", None, [text.encode()])], workers=1)
    return records.logs, records.sources[0]


def test_each_line_of_a_job_is_read_into_one_log() -> None:
    (log, bare), _ = logs(LOG)
    assert {
        "versions": [(found.library, found.version, found.runtime) for found in log.versions],
        "settings": [(found.name, found.value, found.process.host) for found in log.env],
        "bootstraps": [(found.interface, found.process.host) for found in log.bootstraps],
        "networks": [(found.network, found.process.host) for found in log.networks],
        "devices": [(found.name, found.process.host) for found in log.net_devices],
        "edges": [
            (e.process.host, e.src, e.dst, e.side, e.transport, e.net_device, e.gdr, e.channels) for e in log.edges
        ],
        "warnings": [(found.process.host, found.message, dict(found.groups)) for found in log.warnings],
        "processes": sorted((found.host or "", found.pid or 0) for found in log.processes),
        "lines": (log.lines, log.unknown),
    } == snapshot(
        {
            "versions": [("NCCL", "2.21.5", "cuda12.4")],
            "settings": [("NCCL_IB_HCA", "mlx5_0,mlx5_1", "gpu01")],
            "bootstraps": [("eth0", "gpu01"), ("eth0", "gpu02")],
            "networks": [("IB", "gpu01"), ("IB", "gpu02")],
            "devices": [("mlx5_0", "gpu01"), ("mlx5_1", "gpu01")],
            "edges": [("gpu01", 0, 1, "send", "NET/IB", 0, True, 2), ("gpu02", 1, 0, "send", "NET/IB", 1, False, 1)],
            "warnings": [
                (
                    "gpu02",
                    "ib-completion-error",
                    {"peer": "10.0.0.7<41>", "status": "12", "opcode": "0", "len": "0", "vendor_err": "129"},
                )
            ],
            "processes": [("gpu01", 4711), ("gpu02", 4800)],
            "lines": (12, 1),
        }
    )
    assert [(found.network, found.process.host) for found in bare.networks] == [("Socket", None)]


def test_an_unknown_line_and_lines_of_others_stay_unread() -> None:
    _, source = logs(LOG)
    assert source.kinds == ("commands", "nccl-log")
    assert [ref.text for ref in source.unread_samples] == [
        "step 1 of the application",
        "gpu01:4711:4760 [0] NCCL INFO a line that no version of the library prints",
    ]


def test_a_log_cut_anywhere_holds_nothing_that_the_whole_one_does_not() -> None:
    (whole, _), _ = logs(LOG)
    for end in range(0, len(LOG), 37):
        for log in logs(LOG[:end])[0]:
            assert {found.version for found in log.versions} <= {found.version for found in whole.versions} | {"2.21"}
            assert {(e.src, e.dst) for e in log.edges} <= {(e.src, e.dst) for e in whole.edges}


@pytest.mark.parametrize("behind", [r"\n# out of bounds: 0", '"], ["1741083072", "node2', "', 'node2:1:2", '"}'])
def test_a_value_ends_where_its_line_does_in_a_string_that_holds_the_whole_log(behind: str) -> None:
    log = read_message(f"Using network IB{behind}")
    assert [choice.network for choice in log.networks] == ["IB"]
    log = read_message(f"NCCL_IB_HCA set by environment to =mlx5_0,mlx5_1{behind}")
    assert [(each.name, each.value) for each in log.env] == [("NCCL_IB_HCA", "=mlx5_0,mlx5_1")]
    log = read_message('NCCL_NET_PLUGIN set by environment to "a b"')
    assert [each.value for each in log.env] == ['"a b"']
