"""The recipes of docs/node-check in a real Slurm: a node with a planted fault is drained, the healthy ones are not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from simulated_nodes import GOOD, on_disk, slowlink_there
from slowlink.lab.lab import Lab
from slurm.conftest import all_idle, slurm_with

pytestmark = [pytest.mark.slurm, pytest.mark.xdist_group("slurm")]

RECIPES = Path(__file__).parents[2] / "docs" / "node-check"
SICK = "node3"


def recipe(name: str, shared: Path) -> Path:
    """A recipe with the two lines at its top that a site writes itself."""
    text = (RECIPES / name).read_text()
    text, told = re.subn(r"^slowlink=.*$", f"slowlink={shared}/$SLURMD_NODENAME/slowlink", text, flags=re.MULTILINE)
    text, policies = re.subn(r"^policy=.*$", f"policy={shared}/policy.toml", text, flags=re.MULTILINE)
    assert (told, policies) == (1, 1)
    place = shared / name
    place.write_text(text)
    place.chmod(0o755)
    return place


@pytest.fixture(scope="module")
def checked(slurm_possible: None, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A Slurm whose Prolog is the recipe; the ports of node3 are fine, its governor is not."""
    for number in range(1, 5):
        node = f"node{number}"
        kind = replace(GOOD, governor="powersave") if node == SICK else GOOD
        script = shared / node / "slowlink"
        script.parent.mkdir()
        script.write_text(slowlink_there(*on_disk(kind, shared / node)))
        script.chmod(0o755)
    prolog = f"Prolog={recipe('slurm-prolog.sh', shared)}\nPrologFlags=Alloc\n"
    with slurm_with(prolog, shared, tmp_path_factory.mktemp("settings")) as lab:
        written = [str(shared / "node1" / "slowlink"), "policy", "from", "-o", str(shared / "policy.toml")]
        done = lab.exec("node1", written)
        assert done.returncode == 0, done.stderr
        yield lab


def drained(lab: Lab, node: str) -> tuple[bool, str]:
    """Whether Slurm gives the node no more jobs, and the reason."""
    text = lab.exec("node1", ["scontrol", "--oneliner", "show", "node", node]).stdout
    reason = re.search(r" Reason=(.*) \[", text)
    state = re.search(r" State=(\S+)", text)
    assert state is not None, text
    return "DRAIN" in state[1], reason[1] if reason is not None else ""


def test_a_job_starts_where_nothing_is_wrong_and_the_sick_node_is_drained(checked: Lab) -> None:
    sick = checked.exec("node1", ["srun", "--immediate=40", "-w", SICK, "true"], timeout_s=100)
    assert sick.returncode != 0
    out, reason = drained(checked, SICK)
    assert out
    assert reason.startswith("slowlink: ")
    assert "policy-not-met: cpu 16 CPUs: frequency governor powersave, not performance" in reason
    for node in ("node1", "node2", "node4"):
        done = checked.exec("node1", ["srun", "-w", node, "true"], timeout_s=100)
        assert done.returncode == 0, done.stderr
        assert drained(checked, node) == (False, "")
    checked.exec("node1", ["scancel", "--user=root"])
    checked.exec("node1", ["scontrol", "update", f"nodename={SICK}", "state=resume"])
    assert all_idle(checked)


def test_the_health_check_drains_and_resumes_what_it_drained(checked: Lab, shared: Path) -> None:
    program = str(recipe("slurm-health-check.sh", shared))

    def check(node: str) -> tuple[bool, str]:
        done = checked.exec(node, [program], env={"SLURMD_NODENAME": node})
        assert done.stderr == ""
        return drained(checked, node)

    assert check("node1") == (False, "")
    out, reason = check(SICK)
    assert out
    assert reason.startswith("slowlink: ")
    script = shared / SICK / "slowlink"
    sound = script.read_text().replace(f"{shared}/{SICK}/", f"{shared}/node1/")
    script.write_text(sound)
    assert check(SICK) == (False, "")
    by_hand = ["scontrol", "update", "nodename=node2", "state=drain", "reason=a new fan"]
    assert checked.exec("node1", by_hand).returncode == 0
    assert check("node2") == (True, "a new fan")


def test_a_slowlink_that_cannot_start_drains_nobody(checked: Lab, shared: Path) -> None:
    script = shared / "node4" / "slowlink"
    whole = script.read_text()
    script.write_text("#!/bin/sh\necho No module named slowlink >&2\nexit 1\n")
    try:
        assert checked.exec("node1", ["srun", "-w", "node4", "true"], timeout_s=100).returncode == 0
        checked.exec("node4", [str(recipe("slurm-health-check.sh", shared))], env={"SLURMD_NODENAME": "node4"})
        assert drained(checked, "node4") == (False, "")
    finally:
        script.write_text(whole)
