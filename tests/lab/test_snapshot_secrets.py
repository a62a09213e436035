"""Secrets on the command lines, in the environments and in the kernel parameters of nodes are in no file of a snapshot."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from lab.gpu_nodes import GpuNodes, gpu_nodes
from lab.test_snapshot_ends import encodings
from redact.planted import BY_ARGUMENT, BY_NAME, planted
from slowlink.simulate.node_state.description import Busy, SimulatedNode

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]
SEED = 13
NODES = [SimulatedNode(f"node{number}", number, gpus=2) for number in range(1, 3)]
LINES = [
    planted(template, SEED)
    for template in (*BY_ARGUMENT, *BY_NAME["names"], *BY_NAME["separators"], *BY_NAME["headers"])
    if template.isprintable() and "{" not in template
]
BY_ITSELF = 12
"""So many of them are processes on each node, and what holds its GPUs."""


@pytest.fixture(scope="module")
def cluster(lab_possible: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GpuNodes]:
    with gpu_nodes(tmp_path_factory.mktemp("gpu-nodes").resolve(), len(NODES)) as made:
        made.become(NODES)
        yield made


def test_no_planted_secret_is_in_a_snapshot(cluster: GpuNodes) -> None:
    env = {f"DB_PASSWORD_{number}": secret for number, secret in enumerate(LINES[0].secrets)}
    shown = Busy(name=" ; ".join(line.text for line in LINES[:BY_ITSELF]))
    cluster.become([replace(node, busy=shown) for node in NODES])
    for node in cluster.lab.nodes:
        cmdline = cluster.root(node) / "proc" / "cmdline"
        secrets = " ".join(
            planted(template, SEED).text for template in ("ds.token=~word~", "pass=~word~", "luks.key=~hex40~")
        )
        cmdline.write_text(f"{cmdline.read_text().strip()} {secrets}\n")
        for line in LINES[:BY_ITSELF]:
            cluster.lab.popen(node, ["sh", "-c", "sleep 600; :", *line.text.split()], env=env)
    bundle = cluster.place("with-planted-secrets")
    told = cluster.snapshot(bundle, env=env)
    assert told.report["facts"]["nodes_asked"] == "node[1-2]"
    everything = b"".join(path.read_bytes() for path in bundle.rglob("*") if path.is_file())
    assert b"docker login" in everything
    planted_here = [
        *LINES[:BY_ITSELF],
        *(planted(t, SEED) for t in ("ds.token=~word~", "pass=~word~", "luks.key=~hex40~")),
    ]
    secrets_here = [secret for one in planted_here for secret in one.secrets]
    assert [secret for secret in secrets_here if any(form in everything for form in encodings(secret))] == []
    assert [secret for secret in secrets_here if secret in told.out + told.err] == []
