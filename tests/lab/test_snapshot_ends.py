"""Snapshots that are interrupted leave a readable bundle and no process; and no secret of a host is in any bundle."""

from __future__ import annotations

import base64
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from msgspec.structs import replace

from lab.gpu_nodes import GpuNodes, gpu_nodes
from slowlink.simulate.node_state.description import Busy, SimulatedNode

pytestmark = [pytest.mark.lab, pytest.mark.xdist_group("lab")]

NODES = [SimulatedNode(f"node{number}", number, gpus=2) for number in range(1, 4)]


@pytest.fixture(scope="module")
def module_cluster(lab_possible: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GpuNodes]:
    with gpu_nodes(tmp_path_factory.mktemp("gpu-nodes").resolve(), len(NODES)) as made:
        yield made


@pytest.fixture
def cluster(module_cluster: GpuNodes) -> Iterator[GpuNodes]:
    module_cluster.become(NODES)
    yield module_cluster
    module_cluster.lab.sweep()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt(cluster: GpuNodes, number: signal.Signals) -> None:
    bundle = cluster.place(f"interrupted-{number.value}")
    process = cluster.start(bundle, "--seconds", "600", "--timeout", "900")
    deadline = time.monotonic() + 60
    while not any("sleep" in one.argv for one in cluster.lab.processes("node3")):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    subprocess.run(["kill", f"-{number.value}", str(cluster.lab.pid_of(process))], check=True)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, ""), err
    assert "slowlink: interrupted" in err
    assert cluster.lab.left(patience_s=20) == {}
    done = subprocess.run(
        [sys.executable, "-m", "slowlink", "analyze", str(bundle), "--format", "json"], capture_output=True, text=True
    )
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"]) == (3, "inconclusive")
    assert report["headline"] == (
        "inconclusive: 3 of 3 nodes did not answer: node[1-3]: interrupted before it answered; what these 3 nodes do is unknown"
    )
    checked = subprocess.run([sys.executable, "-m", "slowlink", "bundle", "show", str(bundle)], capture_output=True)
    assert checked.returncode == 0, checked.stderr


SECRETS = {
    "HF_TOKEN": "hf_Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4f",
    "WANDB_API_KEY": "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c",
    "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYzzTESTKEY1",
    "DB_PASSWORD": "correct-horse-battery-staple-77",
}


def encodings(secret: str) -> set[bytes]:
    """Every form in which it could stand in a file."""
    raw = secret.encode()
    shifted = {base64.b64encode(raw[at:])[: 4 * ((len(raw) - at) // 3)] for at in range(3)}
    texts = {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], secret[::-1], raw.hex(), raw.hex().upper()}
    wide = {secret.encode("utf-16-le"), secret.encode("utf-16-be")}
    return {
        *(text.encode() for text in texts),
        *shifted,
        *(s.replace(b"+", b"-").replace(b"/", b"_") for s in shifted),
        *wide,
    }


def test_no_secret_is_collected(cluster: GpuNodes) -> None:
    arguments = [word for name, value in SECRETS.items() for word in (f"--{name.lower()}", value, f"{name}={value}")]
    shown = "/usr/bin/python3 train.py " + " ".join(arguments)
    cluster.become([replace(node, busy=Busy(name=shown)) for node in NODES])
    for node in cluster.lab.nodes:
        cmdline = cluster.root(node) / "proc" / "cmdline"
        cmdline.write_text(
            f"{cmdline.read_text().strip()} ds.token={SECRETS['HF_TOKEN']} pass={SECRETS['DB_PASSWORD']}\n"
        )
        cluster.lab.popen(node, ["sh", "-c", "sleep 600; :", "train.py", *arguments], env=SECRETS)
    bundle = cluster.place("with-secrets")
    told = cluster.snapshot(bundle, env=SECRETS)
    assert told.report["facts"]["nodes_asked"] == "node[1-3]"
    files = [path for path in bundle.rglob("*") if path.is_file()]
    assert len(files) >= len(NODES) + 2
    everything = b"".join(path.read_bytes() for path in files)
    assert b"python3" in everything
    leaked = [name for name, value in SECRETS.items() if any(form in everything for form in encodings(value))]
    assert leaked == []
    assert [name for name, value in SECRETS.items() if value in told.out + told.err] == []
