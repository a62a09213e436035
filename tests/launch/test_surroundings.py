"""What programs say of themselves; the texts are our own, in the shape of each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.launch.mpi_flags import family_of
from slowlink.launch.refusals import refusal
from slowlink.launch.slurm_allocation import allocation_of, repeated_counts
from slowlink.launch.surroundings import mpi_title, slurm_interfaces


@pytest.mark.parametrize(
    ("text", "title", "family"),
    [
        ("mpirun (Open MPI) 5.0.7\n\nReport bugs to ...\n", "openmpi 5.0.7", "openmpi"),
        ("mpirun (Open MPI) 4.1.4rc1\n", "openmpi 4.1.4rc1", "openmpi"),
        ("mpiexec (OpenRTE) 4.0.3\n", "openmpi 4.0.3", "openmpi"),
        ("HYDRA build details:\n    Version:       4.2.1\n    Release Date:  today\n", "mpich 4.2.1", "hydra"),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.13 Build 1\n", "intel-mpi 2021.13", "hydra"),
        ("prun (PRRTE) 3.0\n", None, None),
        ("", None, None),
    ],
)
def test_what_mpirun_says_of_itself(text: str, title: str | None, family: str | None) -> None:
    assert mpi_title(text) == title
    assert family_of(title or "") == family


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "MPI plugin types are...\n\tpmix\n\tnone\n\tpmi2\nspecific pmix plugin versions available: pmix_v4,pmix_v5",
            ("pmix", "pmi2", "pmix_v4", "pmix_v5"),
        ),
        ("srun: MPI types are...\nsrun: none\nsrun: pmi2\n", ("pmi2",)),
        ("", ()),
    ],
)
def test_what_srun_offers(text: str, names: tuple[str, ...]) -> None:
    assert slurm_interfaces(text) == names


@pytest.mark.parametrize(
    ("text", "counts"),
    [("8(x3),4", [8, 8, 8, 4]), ("72", [72]), ("", []), ("8(x", []), ("eight", []), ("1(x999999)", [])],
)
def test_repeated_counts(text: str, counts: list[int]) -> None:
    assert repeated_counts(text) == counts


def test_an_allocation_without_counts_has_no_slots() -> None:
    allocation = allocation_of({"SLURM_JOB_NODELIST": "n[1-2]", "SLURM_JOB_CPUS_PER_NODE": "8"})
    assert allocation is not None
    assert [(node.name, node.slots) for node in allocation.nodes] == [("n1", None), ("n2", None)]
    assert allocation_of({}) is None


@pytest.mark.parametrize(
    ("line", "slug"),
    [
        ('Error from server (Forbidden): secrets is forbidden: User "me" cannot create', "forbidden-namespace"),
        ('Error from server (NotFound): namespaces "x" not found', "no-namespace"),
        ('error: no matches for kind "MPIJob" in version "kubeflow.org/v2beta1"', "no-operator"),
        ("The connection to the server 10.0.0.1:6443 was refused - did you ...", "no-api-server"),
        ("sbatch: error: Batch job submission failed: Invalid account or account/partition combination", "bad-account"),
        ("sbatch: error: invalid partition specified: gpus", "bad-partition"),
        ("srun: error: Unable to confirm allocation for job 7: Invalid job id specified", "expired-allocation"),
        ("srun: error: Unable to allocate resources: Requested nodes are busy", "no-resources"),
        ("srun: error: Invalid MPI type 'pmix', --mpi=list for acceptable types", "no-pmi"),
        ("There are not enough slots available in the system", "no-slots"),
        ("me@gpu1: Permission denied (publickey).", "login-refused"),
        ("@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @", "host-key-changed"),
        ("ssh: Could not resolve hostname gpu77: Name or service not known", "unknown-node"),
    ],
)
def test_refusals_are_explained(line: str, slug: str) -> None:
    error = refusal(f"something before\n  {line}\nsomething after\n")
    assert error is not None
    assert error.slug == slug
    assert error.hint
    assert line.strip()[:40] in error.message


def test_other_words_are_no_refusal() -> None:
    assert refusal("#       size         count      type\n       8             2     float\n") is None


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    mpi_title(text)
    slurm_interfaces(text)
    repeated_counts(text)
    refusal(text)
