"""CUDA's errors, whoever prints them: NCCL's warnings, the benchmark, a framework's exception."""

from __future__ import annotations

from slowlink.model.facts import Events, Warnings
from slowlink.rules.evidence.messages import LogMessage, reported

# Ids of NCCL's warnings, and kinds of events, that quote an error of CUDA.
KINDS = ("cuda-failure", "fabric-not-initialized", "cuda-error", "nccl-tests-cuda-failure")


def cuda_errors(warnings: Warnings | None, events: Events | None, *words: str) -> tuple[LogMessage, ...]:
    """Errors whose text holds one of ``words`` (of CUDA's own error strings, see ``cudaGetErrorString``)."""
    return tuple(m for m in reported(warnings, events, *KINDS) if any(word in m.text for word in words))
