from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from state_proofs import proofs_of
from text_findings import diagnoses_of, findings_of, remedies_of, said

FAILED = "node07:4711:4712 [0] NCCL WARN Call to ibv_create_cq failed with error Cannot allocate memory\n"

FINE = "node07:4711:4712 [0] NCCL WARN Call to ibv_reg_mr failed with error Bad address\n"


def test_names_the_call() -> None:
    assert said("memlock-limit", FAILED) == snapshot(
        [
            (
                "memlock-limit",
                "critical",
                "likely",
                "node07: the locked-memory limit is too small: ibv_create_cq cannot allocate memory",
            )
        ]
    )


def test_silent_on_another_error() -> None:
    assert findings_of("memlock-limit", FINE) == ()


def asked(node: str, limit: str, *more: str) -> str:
    line = f"max locked memory           (kbytes, -l) {limit}\n"
    return f"[root@{node} ~]# ulimit -a\n{line}" + "".join(f"{text}\n" for text in more)


HCA = "12:00.0 Infiniband controller: Mellanox Technologies MT2910 Family [ConnectX-7]"


def test_a_finite_limit_on_a_node_with_hcas() -> None:
    assert said("memlock-limit", asked("gpu01", "64", HCA) + asked("gpu02", "unlimited", HCA)) == snapshot(
        [
            (
                "memlock-limit",
                "error",
                "possible",
                "gpu01: the locked-memory limit is 64 KiB where it was asked; RDMA needs to lock more as soon as ranks register memory",
            )
        ]
    )


def test_a_finite_limit_where_no_hca_is_known() -> None:
    assert [entry[1:3] for entry in said("memlock-limit", asked("gpu01", "8192"))] == [("info", "possible")]


def test_a_limit_of_all_memory_is_enough() -> None:
    assert said("memlock-limit", asked("gpu01", str(500 << 20), HCA)) == []


def test_proof() -> None:
    assert proofs_of("memlock-limit", asked("gpu01", "unlimited", HCA)) == snapshot(
        [("RDMA may lock as much memory as it needs on gpu01", 0)]
    )


def test_it_says_what_to_do() -> None:
    assert remedies_of("memlock-limit", FAILED) == snapshot(
        [
            [
                ("See the limit inside the job.", "srun bash -c 'ulimit -l'"),
                ("Lift it for the launcher's service.", "systemctl edit slurmd  # [Service] LimitMEMLOCK=infinity"),
            ]
        ]
    )


def test_where_nodes_are_known_slowlink_can_lift_it_on_all_of_them() -> None:
    assert remedies_of("memlock-limit", asked("gpu01", "64", HCA)) == snapshot(
        [
            [
                ("See the limit inside the job.", "srun bash -c 'ulimit -l'"),
                ("Lift it for the launcher's service.", "systemctl edit slurmd  # [Service] LimitMEMLOCK=infinity"),
                (
                    "Or on all of them, with a record to go back by.",
                    "slowlink prepare --nodes gpu01 --only memlock --apply",
                ),
            ]
        ]
    )


REFUSED = "Couldn't allocate MR\nfailed to create mr\n"
UNREGISTERED = "[ops@gpu01 ~]$ ib_write_bw -d mlx5_0\n" + REFUSED


@pytest.mark.parametrize(
    "text",
    [
        "[ops@gpu01 ~]$ ulimit -l\n64\n" + UNREGISTERED,
        "[ops@gpu01 ~]$ bash -x try.sh\n++ ulimit -l\n+ limit=64\n+ ib_write_bw -d mlx5_0\n" + REFUSED,
        "+ hostname\ngpu01\n+ ulimit -l\n64\n+ ib_write_bw -d mlx5_0\n"
        + REFUSED
        + "+ ssh gpu01 ulimit -l\nunlimited\n",
        "[ops@gpu01 ~]$ systemctl show slurmd | grep MEMLOCK\nLimitMEMLOCK=65536\n" + UNREGISTERED,
        "[ops@gpu01 ~]$ grep locked /proc/self/limits\nMax locked memory 65536 65536 bytes\n" + UNREGISTERED,
        "[ops@login1 ~]$ srun -w gpu01 bash -c 'ulimit -l'\n64\n[ops@login1 ~]$ ssh gpu01 'ulimit -l'\nunlimited\n"
        + UNREGISTERED,
    ],
)
def test_memory_that_could_not_be_registered_has_the_smallest_limit_of_its_node_for_a_reason(text: str) -> None:
    (found,) = diagnoses_of(text)
    assert (found.cause, found.severity, found.confidence, found.message) == (
        "memlock-limit",
        "critical",
        "likely",
        "gpu01: memory could not be registered with the HCA, and a locked-memory limit is 64 KiB",
    )


def test_a_limit_of_another_node_or_none_at_all_is_no_reason() -> None:
    elsewhere = "[ops@gpu02 ~]$ ulimit -l\n64\n" + UNREGISTERED
    assert "memory-registration-failed" in [found.cause for found in diagnoses_of(elsewhere)]
    fine = "[ops@gpu01 ~]$ ulimit -l\nunlimited\n" + UNREGISTERED
    assert [found.cause for found in diagnoses_of(fine)] == ["memory-registration-failed"]
