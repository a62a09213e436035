from __future__ import annotations

from gid_texts import on, table
from inline_snapshot import snapshot
from job_findings import check
from text_findings import remedies_of, said

RULE = "gid-tables-differ"


def test_one_node_has_it_elsewhere() -> None:
    text = "".join(on(n, table(index=5 if n == 4 else 3)) for n in (1, 2, 3, 4))
    assert said(RULE, text) == snapshot(
        [
            (
                "gid-index-wrong",
                "info",
                "likely",
                "gpu04: the RoCE v2 GID of mlx5_0/1 is not at index 3 as on 3 other nodes; one NCCL_IB_GID_INDEX cannot fit all",
            )
        ]
    )


def test_routable_gids_are_a_proof() -> None:
    assert [proof.message for proof in check(RULE, table()).proofs] == snapshot(
        ["1 RoCE port has a RoCE v2 GID with an IPv4 address"]
    )


def test_it_matters_where_the_index_is_set() -> None:
    text = "".join(on(n, table(index=5 if n == 4 else 3)) for n in (1, 2, 3, 4))
    chosen = "gpu01:4711:4711 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 3.\n"
    assert [severity for _, severity, _, _ in said(RULE, text, chosen)] == ["warning"]


def test_it_says_what_to_do() -> None:
    assert remedies_of(RULE, "".join(on(n, table(index=5 if n == 4 else 3)) for n in (1, 2, 3, 4))) == snapshot(
        [
            [
                ("List the GIDs and take the RoCE v2 one with the interface's IPv4 address.", "show_gids"),
                ("Let NCCL choose it.", "unset NCCL_IB_GID_INDEX"),
            ]
        ]
    )


def test_of_two_nodes_neither_is_the_odd_one() -> None:
    assert said(RULE, "".join(on(n, table(index=2 * n + 1)) for n in (1, 2))) == []
