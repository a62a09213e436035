from __future__ import annotations

import pytest
from launch_situations import IN_SLURM, surroundings

from slowlink.errors import SlowlinkError
from slowlink.launch.choose import choose, launchers

IN_POD = {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}


def test_launchers_are_found_by_being_there() -> None:
    assert set(launchers()) == {"local", "ssh", "slurm", "kubernetes"}
    assert all(launcher.name == name for name, launcher in launchers().items())


@pytest.mark.parametrize(
    ("environment", "nodes_given", "expected"),
    [
        ({}, False, "local"),
        ({}, True, "ssh"),
        (IN_SLURM, False, "slurm"),
        (IN_SLURM, True, "slurm"),
        (IN_POD, False, "kubernetes"),
        (IN_POD, True, "ssh"),
        ({**IN_POD, **IN_SLURM}, False, "slurm"),
    ],
)
def test_the_surroundings_choose(environment: dict[str, str], nodes_given: bool, expected: str) -> None:
    choice = choose(surroundings(environment=environment), nodes_given=nodes_given)
    assert choice.launcher.name == expected
    assert choice.reason


def test_asked_for_comes_before_everything() -> None:
    choice = choose(surroundings(environment=IN_SLURM), asked="local")
    assert choice.launcher.name == "local"
    assert choice.reason.startswith("asked for")


def test_kubectl_alone_is_no_reason_to_use_a_cluster() -> None:
    assert choose(surroundings()).launcher.name == "local"


@pytest.mark.parametrize("environment", [{}, IN_SLURM])
def test_given_nodes_are_never_replaced_by_this_machine(environment: dict[str, str]) -> None:
    here = surroundings(environment=environment, without=("ssh", "srun"))
    with pytest.raises(SlowlinkError) as caught:
        choose(here, nodes_given=True)
    assert caught.value.slug == "launcher-unusable"
    assert "ssh" in caught.value.message


@pytest.mark.parametrize("nodes_given", [False, True])
def test_an_allocation_that_is_over_does_not_become_a_run_on_the_login_node(nodes_given: bool) -> None:
    with pytest.raises(SlowlinkError) as caught:
        choose(surroundings(environment=IN_SLURM, slurm_state="TIMEOUT"), nodes_given=nodes_given)
    assert "4711 is over" in caught.value.message


@pytest.mark.parametrize(
    ("asked", "without", "slug"),
    [
        ("pbs", (), "unknown-launcher"),
        ("slurm", ("srun", "sbatch"), "launcher-unusable"),
        ("kubernetes", ("kubectl",), "launcher-unusable"),
        ("ssh", ("ssh",), "launcher-unusable"),
    ],
)
def test_what_was_asked_for_must_be_usable(asked: str, without: tuple[str, ...], slug: str) -> None:
    with pytest.raises(SlowlinkError) as caught:
        choose(surroundings(without=without), asked=asked)
    assert caught.value.slug == slug
    assert caught.value.hint


def test_no_mpirun_says_what_brings_one() -> None:
    with pytest.raises(SlowlinkError, match="no mpirun") as caught:
        choose(surroundings(mpi=None, without=("mpirun",)))
    assert "pip install" in caught.value.hint
