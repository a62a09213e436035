"""NVIDIA's nvbandwidth: copies between the GPUs and the memory of one node. No ranks: one process a node."""

from __future__ import annotations

from typing import ClassVar

from slowlink.benchmarks.interface import Program, RankCommand, Request


class Nvbandwidth:
    """All test cases in one process; JSON on standard output where the program has it (0.5 and newer)."""

    name: ClassVar[str] = "nvbandwidth"
    collectives: ClassVar[tuple[str, ...]] = ("nvbandwidth",)

    def candidates(self, collective: str) -> tuple[str, ...]:  # noqa: ARG002  (one program)
        return ("nvbandwidth", "/opt/nvbandwidth/nvbandwidth", "/usr/local/nvbandwidth/nvbandwidth")

    def command(self, request: Request, program: Program) -> RankCommand:
        json = ("-j",) if "nvbandwidth-json" in program.features else ()
        return RankCommand((program.path, *json, *request.extra))


BENCHMARK = Nvbandwidth()
