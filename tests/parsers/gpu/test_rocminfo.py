"""rocminfo: the instruction set of each GPU."""

from __future__ import annotations

from gpu_reading import told, unread

from slowlink.parsers.gpu.rocminfo import Rocminfo

NODE = """\
Agent 1
  Name:                    AMD EPYC 9654 96-Core Processor
Agent 2
  Name:                    gfx942
    ISA 1
      Name:                    amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-
    ISA 2
      Name:                    amdgcn-amd-amdhsa--gfx9-4-generic:sramecc+:xnack-
Agent 3
  Name:                    gfx942
    ISA 1
      Name:                    amdgcn-amd-amdhsa--gfx942:sramecc+:xnack+
"""


def test_gpus_are_counted_by_the_agents_that_are_none_of_processors() -> None:
    assert told(Rocminfo, NODE) == [("gpu 0", "gpu-xnack", False), ("gpu 1", "gpu-xnack", True)]


def test_the_next_node_begins_anew() -> None:
    assert [part for part, *_ in told(Rocminfo, NODE + NODE)] == ["gpu 0", "gpu 1"] * 2


def test_instruction_sets_without_agents_are_one_gpu_each() -> None:
    lines = "\n".join(line for line in NODE.splitlines() if "amdhsa--gfx942" in line)
    assert [part for part, *_ in told(Rocminfo, lines)] == ["gpu 0", "gpu 1"]


def test_what_it_takes_is_not_unread() -> None:
    assert [line for line in unread(NODE) if "amdhsa--gfx942" in line or line.startswith("Agent")] == []
