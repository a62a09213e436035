"""``run --on kubernetes`` from the command line to the bundle: a kubectl that keeps the objects it is given, and carries
out what their pod would do around its ranks, as no node that runs pods is to be had here."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("yaml", reason="PyYAML is not installed")

KUBECTL = """\
#!{python}
import json, os, pathlib, subprocess, sys, time, yaml
place, words = pathlib.Path({place!r}), " ".join(sys.argv[1:])
TABLE = (
    "# Collective test starting: all_reduce_perf\\n"
    "# nThread 1 nGpus 1 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0\\n"
    "#\\n# Using devices\\n"
    "#  Rank  0 Group  0 Pid  7 on pod-0 device  0 [0x1b] NVIDIA H100 80GB HBM3\\n"
    "#  Rank  1 Group  0 Pid  7 on pod-1 device  0 [0x1b] NVIDIA H100 80GB HBM3\\n#\\n"
    "#                                                              out-of-place                       in-place          \\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       \\n"
    "           8             2     float     sum      -1    27.80    0.00    0.00      0    27.83    0.00    0.00      0\\n"
    "          16             4     float     sum      -1    27.80    0.00    0.00      0    27.83    0.00    0.00      0\\n"
)
END = "# Out of bounds values : 0 OK\\n# Avg bus bandwidth    : 0.00 \\n#\\n"

def files():
    documents = yaml.safe_load_all((place / "objects.yaml").read_text())
    return next(each["data"] for each in documents if each["kind"] == "ConfigMap")

def sent():
    launch = files()["launch.sh"]
    head = next(line for line in launch.splitlines() if "#slowlink-nodes" in line)
    mark = head.split()[2]
    print(f"\\n#slowlink-nodes {{mark}} pod-0.x pod-1.x\\n#slowlink-node {{mark}} pod-0.x", flush=True)
    subprocess.run(["sh"], input=files()["after.sh"], text=True)
    print(f"\\n#slowlink-node {{mark}} pod-1.x\\n\\n#slowlink-all {{mark}}", flush=True)

if "apply" in words:
    (place / "objects.yaml").write_text(pathlib.Path(sys.argv[-1]).read_text())
elif "exitCode" in words:
    print(0)
elif "phase" in words:
    print("Running")
elif "logs" in words and "--tail=0" in words:
    while not (place / "deleted").exists():
        time.sleep(0.05)
    sent()
elif "logs" in words:
    data = files()
    subprocess.run(["sh"], input=data["before.sh"], text=True)
    own = next(word for word in data["after.sh"].split() if word.startswith("/tmp/slowlink-"))
    log = pathlib.Path(own, "nccl-debug", "pod-0.7.log")
    log.write_text("pod-0:7:7 [0] NCCL INFO cudaDriverVersion 12040\\npod-0:7:7 [0] NCCL INFO NCCL version 2.27.5+cuda12.4\\n")
    print(TABLE, end="", flush=True)
    if {sleeps}:
        (place / "shown").touch()
        time.sleep(600)
    print(END, end="", flush=True)
    sent()
elif "delete" in words and "job" in words:
    (place / "deleted").touch()
"""


def started(tmp_path: Path, *, sleeps: bool) -> subprocess.Popen[str]:
    kubectl = tmp_path / "bin" / "kubectl"
    kubectl.parent.mkdir()
    kubectl.write_text(KUBECTL.format(python=sys.executable, place=str(tmp_path), sleeps=sleeps))
    kubectl.chmod(stat.S_IRWXU)
    argv = [
        sys.executable,
        "-m",
        "slowlink",
        "run",
        "all_reduce",
        "--on",
        "kubernetes",
        "--image",
        "registry.example/t:1",
    ]
    argv += ["-n", "2", "--ranks-per-node", "1", "--benchmark", "nccl-tests", "-b", "8", "-e", "16", "--no-snapshot"]
    argv += ["--bundle", str(tmp_path / "bundle"), "--format", "json"]
    source = Path(__file__).parents[2] / "src"
    environment = {**os.environ, "PATH": f"{kubectl.parent}:{os.environ['PATH']}", "PYTHONPATH": str(source)}
    return subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("is_interrupted", [False, True])
def test_logs_of_ranks_come_home_and_what_did_not_is_told(tmp_path: Path, is_interrupted: bool) -> None:
    run = started(tmp_path, sleeps=is_interrupted)
    if is_interrupted:
        while not (tmp_path / "shown").exists() and run.poll() is None:
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=120)
    bundle = tmp_path / "bundle" / "captures"
    log = bundle / "nccl-debug-1" / "pod-0.x" / "pod-0.7.log"
    assert log.is_file(), err
    assert log.read_text().startswith("pod-0:7:7 [0] NCCL INFO cudaDriverVersion")
    shown = (bundle / "run-1" / "stdout").read_text()
    assert "          16             4     float" in shown
    assert "#slowlink-" not in shown
    assert "what ranks wrote is missing in run-1: pod-1.x: its files did not come" in err
    report = json.loads(out)
    assert report["facts"]["launches"][0]["missing"].keys() == {"pod-1.x"}
    assert "2.27.5" in json.dumps(report["facts"]["nccl"])
    assert run.returncode == (130 if is_interrupted else 3), err
