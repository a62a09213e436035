"""Versions of NCCL that other programs name: PyTorch behind an error, vLLM and SGLang when they load it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink import analyze

ERROR = (
    "[rank3]: torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:219, "
    "unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version {}\n"
)


def told(text: str) -> object:
    return analyze(text.encode()).facts.get("nccl")


@pytest.mark.parametrize(
    "lead",
    [
        "",
        "INFO 11-04 09:12:51 pynccl.py:63] ",
        "(RayWorkerWrapper pid=2231, ip=192.168.40.12) INFO 11-04 09:12:51 pynccl.py:63] ",
        "INFO 03-11 10:00:01 [pynccl.py:69] ",
        "(Worker_TP0 pid=88) INFO 10-02 10:00:01 [pynccl.py:103] ",
    ],
)
def test_what_vllm_loaded(lead: str) -> None:
    assert told(f"{lead}vLLM is using nccl==2.27.3\n") == ["2.27.3"]


def test_what_sglang_loaded() -> None:
    assert told("[2026-01-02 10:11:12 TP0] sglang is using nccl==2.27.3\n") == ["2.27.3"]


def test_what_somebody_thinks_is_no_version() -> None:
    assert told("I think vLLM is using nccl==2.27.3 on that node\n") is None


@pytest.mark.parametrize(
    ("printed", "version"),
    [("2.20.5", "2.20.5"), ("2.7.8", "2.7.8"), ("21.0.3", "2.10.3"), ("20.9.6", "2.9.6"), ("2.2005", None)],
)
def test_what_pytorch_names_behind_an_error(printed: str, version: str | None) -> None:
    """Before 1.11 PyTorch took numbers of 2.9 and later apart as if they were older ones."""
    assert told(ERROR.format(printed)) == ([version] if version else None)


@given(st.integers(9, 40), st.integers(0, 9))
def test_any_number_that_was_taken_apart_wrongly(minor: int, patch: int) -> None:
    number = 20_000 + 100 * minor + patch
    assert told(ERROR.format(f"{number // 1000}.{number % 1000 // 100}.{number % 100}")) == [f"2.{minor}.{patch}"]


def test_one_version_from_two_programs_is_one() -> None:
    assert told(ERROR.format("2.27.3") + "vLLM is using nccl==2.27.3\n" + "NCCL version 2.27.3+cuda12.9\n") == [
        "2.27.3"
    ]
