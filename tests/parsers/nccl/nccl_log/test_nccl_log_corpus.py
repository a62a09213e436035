"""The labelled facts of real logs, where the corpus lies beside the checkout."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from nccl_log_reading import fold_of, read_bare

from slowlink.model.nccl import NcclLog

CORPUS = Path(os.environ.get("SLOWLINK_CORPUS", Path(__file__).parents[3].parent / "shared" / "corpus"))


def _transports(logs: list[NcclLog]) -> set[str]:
    found = set()
    for edge in (edge for log in logs for edge in log.edges):
        found |= {edge.transport, edge.transport + ("/GDRDMA" if edge.gdr else ""), edge.detail}
    return found


def _hosts(logs: list[NcclLog]) -> set[str]:
    return {str(len({process.host for log in logs for process in log.processes}))}


def _gdr(logs: list[NcclLog]) -> set[str]:
    used = {edge.gdr for log in logs for edge in log.edges if edge.transport.startswith("NET/")}
    return {"on"} if used == {True} else {"off"} if used == {False} else set()


TAG = re.compile(r"\[\d+,\d+\]<std\w+>: ?")
"""What ``mpirun --tag-output`` puts before a line."""
READ: dict[str, Callable[[list[NcclLog]], set[str]]] = {
    "nccl": lambda logs: {version.version for log in logs for version in log.versions},
    "nranks": lambda logs: {str(comm.nranks) for log in logs for comm in log.comms},
    "hosts": _hosts,
    "transport": _transports,
    "init_complete": lambda logs: {str(sum(comm.completed is not None for log in logs for comm in log.comms))},
    "gdr": _gdr,
    "channels": lambda logs: {str(counts.coll) for log in logs for counts in log.channel_counts},
    "nvls_channels": lambda logs: {str(counts.nvls) for log in logs for counts in log.channel_counts},
    "NCCL_NET_GDR_LEVEL": lambda logs: {setting.value for log in logs for setting in log.env},
    "bootstrap_if": lambda logs: {used.interface for log in logs for used in log.bootstraps},
    "plugin": lambda logs: {f"{each.component} {each.version}" for log in logs for each in log.components},
    "status": lambda logs: {w.groups.get("status", "") for log in logs for w in log.warnings},
    "error": lambda logs: {w.groups.get("status", "") for log in logs for w in log.warnings},
    "errno": lambda logs: {w.groups.get("errno", "") for log in logs for w in log.warnings},
    "vendor_err": lambda logs: {w.groups.get("vendor_err", "") for log in logs for w in log.warnings},
    "peer": lambda logs: {w.groups.get("peer", "").partition("<")[0] for log in logs for w in log.warnings},
    "max_bw": lambda logs: {str(each.max_bw_gbs) for log in logs for each in log.topologies},
    "distance": lambda logs: {str(each.distance) for log in logs for each in log.gdr},
}
NOT_IN_NCCL_LINES = {
    "nccl-debug/gke-a3high-tcpx-excerpt.txt": {"nranks"},  # from the table's ratio
    "nccl-debug/nic-failover-injected-a.txt": {"vendor_err"},  # of the injector
    "nccl-debug/v100-2node-allgather-25g.txt": {"nranks"},  # from the benchmark's ranks: no comm line was logged
}


def _labels() -> list[tuple[str, str, str]]:
    table = CORPUS / "expected.tsv"
    if not table.is_file():
        return []
    labels = []
    with table.open(newline="", encoding="utf-8") as rows:
        for row in csv.DictReader(rows, delimiter="\t"):
            path = row["path"]
            sample = CORPUS / path
            if not path.startswith(("nccl-debug/", "hang/", "mixed/")) or not sample.is_file():
                continue
            if "NCCL INFO" not in sample.read_text("utf-8", "replace"):
                continue
            facts = dict(fact.partition("=")[::2] for fact in row["facts"].split(";"))
            skipped = NOT_IN_NCCL_LINES.get(path, set())
            labels += [(path, key, value) for key, value in facts.items() if key in READ and key not in skipped]
    return labels


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the labelled corpus is not here")
@pytest.mark.parametrize(("path", "key", "value"), _labels())
def test_labelled_fact(path: str, key: str, value: str) -> None:
    lines = (CORPUS / path).read_text("utf-8", "replace").split("\n")
    fold, _ = fold_of(lines)
    bare, _ = read_bare([TAG.sub("", line) for line in lines if " NCCL INFO" not in line])
    found = READ[key]([*fold.result(path), *bare])
    assert value in found
