"""Settings outside the library's log: environment dumps and manifests."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.parsers.context import env_dump
from slowlink.parsers.context import kubernetes_manifest as manifest


def pairs(module: object, *lines: str) -> list[tuple[str, str, str]]:
    return [(one.name, one.value, one.origin) for one in feed(module.PARSER, lines)]  # type: ignore[attr-defined]


def test_env_output() -> None:
    lines = ["HOME=/root", "NCCL_DEBUG=INFO", "NCCL_NET=AWS Libfabric", "SLURM_NTASKS=16", "SHELL=/bin/bash"]
    assert pairs(env_dump, *lines) == [
        ("NCCL_DEBUG", "INFO", "dump"),
        ("NCCL_NET", "AWS Libfabric", "dump"),
        ("SLURM_NTASKS", "16", "dump"),
    ]


def test_header_of_a_script() -> None:
    assert pairs(env_dump, "# Env: LD_LIBRARY_PATH=/usr/lib64 FI_PROVIDER=efa NCCL_ALGO=Ring") == [
        ("LD_LIBRARY_PATH", "/usr/lib64", "dump"),
        ("FI_PROVIDER", "efa", "dump"),
        ("NCCL_ALGO", "Ring", "dump"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "NCCL_IB_DISABLE=1 is set in environment",
        "  • NCCL_IB_DISABLE=1",
        "NCCL_DEBUG=INFO mpirun -np 2 ./all_reduce_perf",
        "NCCL_IB_HCA=${PORTS}",
        "NCCL_IB_HCA=$(ls /sys/class/infiniband)",
        "PSM_CUDA=1;' export 'PSM_CUDA;",
        "NCCL_DEBUGINFO for topology check",
        "LD_LIBRARY_PATH=/opt/lib \\",
    ],
)
def test_sentences_and_scripts_are_no_dump(text: str) -> None:
    assert pairs(env_dump, text) == []


def test_manifest() -> None:
    lines = """\
          env:
            # how loud
            - name: NCCL_DEBUG
              value: "INFO"
            - name: NCCL_IB_HCA
              # all rails
              value: mlx5_0,mlx5_1   # of four
            - name: MASTER_ADDR
              value: "10.0.0.1"
            - name: NCCL_SOCKET_IFNAME
              valueFrom: x
            - name: other
              value: "1\"""".splitlines()
    assert pairs(manifest, *lines) == [("NCCL_DEBUG", "INFO", "manifest"), ("NCCL_IB_HCA", "mlx5_0,mlx5_1", "manifest")]


@pytest.mark.parametrize("module", [env_dump, manifest])
@given(
    texts=st.lists(
        st.one_of(st.text(max_size=40), st.sampled_from(["- name: NCCL_X", "value: 1", "NCCL_X=1", "Env: A=1"]))
    )
)
@settings(max_examples=50, deadline=None)
def test_no_text_raises(module: object, texts: list[str]) -> None:
    parser = module.PARSER  # type: ignore[attr-defined]
    assert all(parser.wants(text) == parser.wants(re.sub(r"\d", "0", text)) for text in texts)
    feed(parser, texts)
