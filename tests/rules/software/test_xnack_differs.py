"""XNACK that is not alike at the GPUs of a node; rocminfo and hipInfo are read for it."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import findings_of, said

RULE = "xnack-differs"


def rocminfo(host: str, *xnack: str) -> str:
    agents = "".join(
        f"Agent {number}\n  Name:                    gfx942\n    ISA 1\n"
        f"      Name:                    amdgcn-amd-amdhsa--gfx942:sramecc+:xnack{sign}\n"
        f"    ISA 2\n      Name:                    amdgcn-amd-amdhsa--gfx9-4-generic:sramecc+:xnack{sign}\n"
        for number, sign in enumerate(xnack, 2)
    )
    cpu = "Agent 1\n  Name:                    AMD EPYC 9654 96-Core Processor\n"
    return f"[root@{host} ~]# rocminfo\nXNACK enabled:           NO\n{cpu}{agents}"


def test_one_gpu_unlike_the_others() -> None:
    text = rocminfo("gpu07", *"--+-") + rocminfo("gpu08", *"----")
    assert said(RULE, text) == snapshot(
        [("node-differs", "warning", "certain", "gpu07 GPU 2: XNACK is on, unlike at the other GPUs of the node")]
    )
    (found,) = findings_of(RULE, text)
    assert [(suspect.kind, suspect.name) for suspect in found.suspects] == snapshot(
        [("gpu", "gpu07 GPU 2"), ("node", "gpu07")]
    )


def test_hip_info_tells_it_as_well() -> None:
    text = "".join(
        f"device#                           {number}\ngcnArchName:                      gfx90a:sramecc+:xnack{sign}\n"
        for number, sign in enumerate("++-+")
    )
    assert said(RULE, text) == snapshot(
        [("node-differs", "warning", "certain", "GPU 2: XNACK is off, unlike at the other GPUs of the node")]
    )


@pytest.mark.parametrize("signs", ["----", "++++", "-", "+"])
def test_silent_where_all_are_alike(signs: str) -> None:
    assert said(RULE, rocminfo("gpu07", *signs)) == []
