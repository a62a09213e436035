from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from slowlink.cli.manifest import command
from slowlink.errors import SlowlinkError


def invoke(*arguments: str) -> str:
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    assert result.return_value == 0
    return result.stdout


def test_the_batch_script() -> None:
    script = invoke(
        *("all_reduce", "--on", "slurm", "-n", "16", "--path", "/opt/all_reduce_perf", "--name", "one"),
        *("--partition", "gpu", "--env", "NCCL_ALGO=Ring", "--timeout", "600", "-e", "1M"),
    )
    assert script.startswith("#!/bin/sh\n#SBATCH --job-name=slowlink-one\n#SBATCH --nodes=2\n")
    assert "#SBATCH --partition=gpu\n" in script
    assert "#SBATCH --time=10\n" in script
    assert "export NCCL_ALGO=Ring\n" in script
    assert "/opt/all_reduce_perf -b 8 -e 1048576 " in script
    assert "{" not in script


def test_the_objects() -> None:
    yaml: Any = pytest.importorskip("yaml", reason="PyYAML is not installed")
    text = invoke("all_reduce", "--on", "kubernetes", "-n", "16", "--image", "registry.example/t:1", "--name", "one")
    kinds = {document["kind"]: document for document in yaml.safe_load_all(text)}
    assert set(kinds) == {"ConfigMap", "Service", "Job"}
    assert kinds["Job"]["spec"]["completions"] == 2
    container = kinds["Job"]["spec"]["template"]["spec"]["containers"][0]
    assert container["resources"] == {"limits": {"nvidia.com/gpu": 8}}
    assert "{output}" not in text


def test_ranks_without_a_gpu_ask_for_none() -> None:
    text = invoke(
        *("all_reduce", "--on", "kubernetes", "-n", "4", "--ranks-per-node", "1", "--image", "i"),
        *("--benchmark", "probe", "--path", "/usr/bin/python3"),
    )
    assert "limits" not in text
    assert " slowlink.probe all_reduce" in " ".join(text.split())
    assert "--output" not in text


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (("--on", "kubernetes"), "no-image"),
        (("--on", "kubernetes", "--image", "i", "--name", "no spaces"), "bad-name"),
        (("--on", "slurm", "--partition", "a\nreboot"), "bad-name"),
        (("--on", "slurm", "--nodes", "gpu[1-"), "bad-node-set"),
        (("--on", "slurm", "--nodes", "gpu1"), "too-few-nodes"),
        (("--on", "slurm", "--env", "X"), "bad-env"),
        (("--on", "slurm", "--benchmark", "other"), "unknown-benchmark"),
        (("--on", "slurm", "-e", "big"), "bad-size"),
    ],
)
def test_refused(arguments: tuple[str, ...], slug: str) -> None:
    with pytest.raises(SlowlinkError) as caught:
        invoke("all_reduce", "-n", "16", *arguments)
    assert caught.value.slug == slug
    assert caught.value.hint
