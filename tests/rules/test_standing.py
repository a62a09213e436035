"""Nothing is shown right and wrong at once: whole inputs through all rules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from port_texts import node, port
from whole_inputs import checked

from nvidia_smi_outputs import link_errors
from slowlink.facts.stretches import Told, joined
from slowlink.model.facts import Readings
from slowlink.model.report import Finding, Severity, Suspect
from slowlink.model.source import Ref
from slowlink.model.state import Part, Reading
from slowlink.rules.evidence.findings import Proof, finding
from slowlink.rules.standing import Proven, standing
from slowlink.simulate.job import SimulatedJob, job_log
from slowlink.simulate.nccl_log_output import LoggedCluster


def test_a_slow_port_is_not_counted_among_those_that_are_right() -> None:
    nodes = "".join(node(n, *port("mlx5_0"), *port("mlx5_1")) for n in (1, 2, 3))
    said = checked(nodes + node(4, *port("mlx5_0", rate="200"), *port("mlx5_1")))
    assert [f.message for f in said.findings if f.cause == "port-rate-low"] == snapshot(
        ["gpu04: mlx5_0 runs at 200 of 400 Gb/s, the rate of this port on other nodes"]
    )
    assert [p.message for p in said.proofs if "Active" in p.message] == snapshot(
        ["7 ports are Active at 400 Gb/s on 4 nodes"]
    )


def test_a_slow_pair_of_a_survey_is_no_proof() -> None:
    names = ("node01", "node02", "node03", "node04", "node05")
    pairs = list(combinations(names, 2))
    logs = [
        job_log(
            SimulatedJob(
                LoggedCluster(hosts=pair, gpus=8),
                plateau_gbs=438.0 if pair == ("node02", "node05") else 490.0,
                gpu="NVIDIA H100 80GB HBM3",
                logged=False,
            )
        )
        for pair in pairs
    ]
    said = checked("\n".join(logs), nics="8x400")
    slow = [f for f in said.findings if f.cause == "slow-path"]
    assert [f.message for f in slow] == snapshot(
        [
            "1 of 10 pairs of nodes is slow in all_reduce (node02 - node05) while their ends are fine with others: down to 432.2 of 483.5 GB/s"
        ]
    )
    assert [f.cause for f in said.findings if f.severity != "info"] == ["slow-path"]
    assert len([p for p in said.proofs if "all_reduce" in p.message]) == len(pairs) - 1


@pytest.mark.parametrize(("kept", "flawless"), [(range(18), True), ((0, 1, 17), False)])
def test_links_that_were_left_out_of_a_list_are_not_shown_to_be_flawless(kept: Sequence[int], flawless: bool) -> None:
    lines = link_errors().splitlines()
    shown = [line for line in lines if "Link" not in line or int(line.split("Link ")[1].split(":")[0]) in kept]
    said = checked("\n".join(shown) + "\n")
    assert any("NVLink" in proof.message for proof in said.proofs) == flawless


# The mechanism by itself


def reading(gpu: str, host: str = "node01") -> Reading:
    return Reading("gpu-ecc-mode", Part("gpu", gpu), True, Ref("a.txt", int(gpu) + 1, "ECC"), host)


def ask(state: Readings) -> list[Proof]:
    return [Proof(f"{len(state.all)} GPUs are sound")] if state.all else []


PROVEN = Proven(
    proofs=(Proof("4 GPUs are sound"),),
    denies=frozenset({"gpu-memory-errors"}),
    arguments=lambda: {"state": Readings(tuple(reading(gpu) for gpu in "0123"))},
    ask=ask,  # type: ignore[arg-type]
)


def against(*suspects: Suspect, cause: str = "gpu-memory-errors", severity: Severity = "error") -> Finding:
    return finding(cause, "", severity=severity, confidence="likely", suspects=suspects)


@pytest.mark.parametrize(
    ("found", "left"),
    [
        (against(Suspect("gpu", "node01 GPU 2"), Suspect("node", "node01")), ["3 GPUs are sound"]),
        (against(Suspect("gpu", "GPU 2")), ["3 GPUs are sound"]),
        (against(Suspect("node", "node01")), []),
        (against(Suspect("gpu", "node09 GPU 2"), Suspect("node", "node09")), ["4 GPUs are sound"]),
        (against(), []),
        (against(Suspect("rank", "3")), []),
        (against(severity="info"), ["4 GPUs are sound"]),
        (against(cause="gpu-busy"), ["4 GPUs are sound"]),
    ],
)
def test_a_proof_counts_those_that_nobody_accuses(found: Finding, left: list[str]) -> None:
    assert [proof.message for proof in standing([PROVEN], [found])] == left


NAMES = ["", "0", "1", "1/2", "mlx5_0/1", "/1"]
OF_NODES = st.lists(
    st.builds(
        Reading,
        attribute=st.just(""),
        part=st.builds(Part, st.just("gpu"), st.sampled_from(NAMES)),
        value=st.integers(0, 1),
        ref=st.builds(Ref, source=st.just("a"), line=st.integers(1, 3)),
        host=st.sampled_from(["n1", "n2", "n3", None]),
    ),
    min_size=1,
    max_size=12,
)
SUSPECTS = st.lists(
    st.one_of(
        st.builds(Suspect, st.just("node"), st.sampled_from(["n1", "n2"])),
        st.builds(Suspect, st.just("gpu"), st.sampled_from(["GPU 0", "n1 GPU 1", "n2 mlx5_0", "mlx5_0/1", "n3 /1"])),
    ),
    min_size=1,
    max_size=3,
)


@given(OF_NODES, OF_NODES, SUSPECTS)
def test_whom_nobody_accuses_is_asked_of_each_attribute(
    first: list[Reading], second: list[Reading], suspects: list[Suspect]
) -> None:
    of_each = {"a": Told(first), "b": Told(second)}
    parts = {suspect.name for suspect in suspects if suspect.kind == "gpu"}
    nodes = {suspect.name for suspect in suspects if suspect.kind == "node"} if not parts else set()

    def is_left(each: Reading) -> bool:
        whole = each.part.name.partition("/")[0]
        names = {each.part.name, whole, f"GPU {whole}" if whole else ""} - {""}
        return each.host not in nodes and parts.isdisjoint({*names, *(f"{each.host} {name}" for name in names)})

    def told(state: Readings) -> list[Proof]:
        return [Proof(repr((list(state.all), {name: list(each) for name, each in (state.of_each or {}).items()})))]

    given_ = Readings(joined(of_each.values()), of_each)
    proven = Proven((Proof("all"),), frozenset({"gpu-memory-errors"}), lambda: {"state": given_}, told)  # type: ignore[arg-type]
    left = {name: [*filter(is_left, each)] for name, each in of_each.items()}
    every = [*left["a"], *left["b"]]
    expected = repr((every, {name: each for name, each in left.items() if each}))
    found = [proof.message for proof in standing([proven], [against(*suspects)])]
    whole = len(every) == len(first) + len(second)
    assert found == (["all"] if whole else [expected] if every else [])
