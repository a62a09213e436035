"""Tables that people and scripts make of the nodes that they checked."""

from __future__ import annotations

import re

import pytest
from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from job_findings import check
from text_findings import said

from slowlink.catalog.words.verdict_words import verdict_of
from slowlink.parsers.host import verdict_tables
from slowlink.parsers.host.verdict_tables import PARSER

SAMPLE = sample_in(verdict_tables.__doc__ or "").splitlines()
GERMAN = """\
Knoten     GPUs  HCAs  NCCL GB/s   Urteil
---------------------------------------------
gpu-a01    8     8     361.2       in Ordnung
gpu-a02    8     8     360.8       in Ordnung
gpu-a03    8     7     212.0       nicht in Ordnung
"""


def readings(text: str) -> list[tuple[str, str, object, str | None]]:
    return [(r.attribute, r.part.name, r.value, r.host) for r in feed(PARSER, text.splitlines())]


def verdicts(text: str) -> dict[str | None, object]:
    return {host: value for attribute, _, value, host in readings(text) if attribute == "health-test"}


def test_each_row_is_a_test_of_its_node() -> None:
    assert readings("\n".join(SAMPLE)) == [
        ("health-test", "site/the node", "pass", "gpu-a01"),
        ("health-test", "site/the node", "fail", "gpu-a02"),
        ("health-test-detail", "site/the node", "slow", "gpu-a02"),
    ]


def test_columns_of_blanks_and_words_of_other_languages() -> None:
    assert verdicts(GERMAN) == {"gpu-a01": "pass", "gpu-a02": "pass", "gpu-a03": "fail"}


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("OK", "FAIL"),
        ("**PASS**", "**FAIL**"),
        ("healthy", "unhealthy"),
        ("good", "BAD"),
        ("bestanden", "nicht bestanden"),
        ("i.O.", "n.i.O."),
        ("gut", "defekt"),
        ("réussi", "échoué"),
        ("conforme", "non conforme"),
        ("correcto", "averiado"),
        ("bien", "no superado"),
        ("正常", "异常"),
        ("通过", "未通过"),
        ("✓", "✗"),
    ],
)
@pytest.mark.parametrize("split", ["|", "\t", ";"])
def test_verdicts_in_many_words(good: str, bad: str, split: str) -> None:
    rows = (["node", "gpus", "Ergebnis"], ["n01", "8", good], ["n02", "8", bad], ["n03", "8", good])
    assert verdicts("\n".join(split.join(row) for row in rows)) == {"n01": "pass", "n02": "fail", "n03": "pass"}


@pytest.mark.parametrize(
    "text",
    [
        "node | verdict\nn01 | OK\n",  # one row
        "NAME READY STATUS RESTARTS AGE\nworker-0 1/1 OK 0 3d\nworker-1 0/1 Failed 0 3d\n",
        "NAME      STATUS   ROLES    AGE\nnode01    OK       worker   3d\nnode02    OK       worker   3d\n",
        "test        result\ngpu-burn1   OK\ngpu-burn2   OK\nsome words\n".replace("gpu-burn", "test"),
        "port      status\nmlx5_0    OK\nmlx5_1    OK\n",
        "plug-in name      result\nlibmill-2.1       OK\nlibgrind-3.0      OK\n",
        "node | speed\nn01 | OK\nn02 | OK\n",
        "n01 | OK\nn02 | OK\n",
        "the result of this is good\nn01 was OK\nn02 was OK\n",
    ],
)
def test_what_is_no_table_of_nodes(text: str) -> None:
    assert readings(text) == []


def test_names_that_look_like_nodes_need_no_heading_that_says_so() -> None:
    assert verdicts("name    | result\ngpu-a01 | ok\ngpu-a02 | bad\n") == {"gpu-a01": "pass", "gpu-a02": "fail"}


def test_a_verdict_in_other_words_is_left_to_others() -> None:
    text = "node | verdict\nn01 | OK\nn02 | waiting\nn03 | OK\n"
    assert verdicts(text) == {"n01": "pass", "n03": "pass"}


def test_a_second_table_does_not_hide_the_first() -> None:
    text = "node | verdict\nn01 | FAIL\nn02 | OK\n\ntests of the network:\nnode | verdict\nn01 | OK\nn02 | OK\n"
    assert [(name, value, host) for _, name, value, host in readings(text)] == [
        ("list/the node", "fail", "n01"),
        ("list/the node", "pass", "n02"),
        ("list/the node (table 2)", "pass", "n01"),
        ("list/the node (table 2)", "pass", "n02"),
    ]


def test_numbered_parts_are_no_nodes_and_a_number_with_a_zero_is_a_host() -> None:
    table = "| name | status |\n|---|---|\n| {0} | OK |\n| {1} | FAIL |\n"
    assert [host for *_, host in readings(table.format("gpu01", "gpu02"))] == ["gpu01", "gpu02"]
    for part in ("gpu", "disk", "nvlink", "check_", "mlx5_"):
        assert readings(table.format(f"{part}1", f"{part}2")) == []


def test_all_nodes_that_pass_are_a_proof() -> None:
    text = GERMAN.replace("nicht in Ordnung", "in Ordnung").replace("7     212.0", "8     361.0")
    assert [(proof.message, proof.weight) for proof in check("health-checks", text).proofs] == snapshot(
        [("gpu-a[01-03]: 3 nodes pass the site's own check", 1)]
    )


CLOSE = """\
SITE HEALTH CHECK    cluster=w    nodes=3

node        gpus  hcas   rate ecc_unc xid_24h link_e shm_free  uptime result
w01          8/8   8/8    400       0       0      0    98.0%     41d OK
w02          8/8   8/8    400       0       0      0    99.8%     41d OK
w03          8/8   8/8    400       0       0      0    99.5%     12d OK

errors: 0   failures: 0   unreachable: 0   skipped checks: 1 (thermal: sensor plan not loaded)
"""


def test_titles_with_single_blanks_between_them() -> None:
    assert verdicts(CLOSE) == {"w01": "pass", "w02": "pass", "w03": "pass"}
    assert [proof.weight for proof in check("health-checks", CLOSE).proofs] == [1]


@pytest.mark.parametrize(
    ("sound", "sick", "cause"),
    [
        ("w03          8/8   8/8", "w03          7/8   8/8", "gpu-missing"),
        ("w03          8/8   8/8", "w03          8/8   7/8", "hca-missing"),
        ("0       0      0    99.5%", "2       0      0    99.5%", "gpu-memory-errors"),
        ("0       0      0    99.5%", "0       3      0    99.5%", "health-check-failed"),
        ("400       0       0      0    99.5%", "200       0       0      0    99.5%", "health-check-failed"),
        ("12d OK", "12d UNKNOWN", None),
        ("unreachable: 0", "unreachable: 2", None),
        ("nodes=3", "nodes=5", None),
    ],
    ids=["GPU", "HCA", "memory", "Xid", "rate", "no verdict", "unreachable", "rows missing"],
)
def test_a_good_verdict_that_the_table_contradicts_proves_nothing(sound: str, sick: str, cause: str | None) -> None:
    text = CLOSE.replace(sound, sick)
    assert text != CLOSE
    assert [proof.weight for proof in check("health-checks", text).proofs] == [0]
    assert [found[0] for found in said("health-checks", text)] == ([cause] if cause else [])


@pytest.mark.parametrize(
    "text",
    [
        "host    status\ngpu01   OK\ngpu02   OK\n",  # nothing tells what was checked
        "server   status   region\nweb-01   healthy   eu\ndb-02    healthy   eu\n",
        "node   gpus   verdict\nn01    8      OK\nn02    0      not reachable\nn03    8      OK\n",
    ],
)
def test_a_list_that_says_little_or_leaves_a_node_open_proves_no_health(text: str) -> None:
    assert [proof.weight for proof in check("health-checks", text).proofs] == [0]


def test_a_node_that_fails_is_found_with_the_words_of_its_row() -> None:
    table = (
        "node | ecc | IB | verdict | remark\nn01 | 0 | OK | PASS |\nn02 | 0 | OK | FAIL | {}\nn03 | 0 | OK | PASS |\n"
    )
    assert said("health-checks", table.format("rather slow")) == snapshot(
        [("health-check-failed", "error", "likely", "n02: the site's own check: the node fails: rather slow")]
    )
    assert said("health-checks", table.format("fallen off the bus")) == snapshot(
        [("gpu-missing", "error", "likely", "n02: the site's own check: the node fails: fallen off the bus")]
    )


def test_words_of_verdicts() -> None:
    cells = ["OK", "FAIL: mlx5_3 is down", "Warnung", "OK (after reboot)", "8", "not sure", "", "okay-ish"]
    assert {cell: verdict_of(cell) for cell in cells} == {
        "OK": ("pass", ""),
        "FAIL: mlx5_3 is down": ("fail", "mlx5_3 is down"),
        "Warnung": ("warn", ""),
        "OK (after reboot)": ("pass", "after reboot"),
        "8": None,
        "not sure": None,
        "": None,
        "okay-ish": None,
    }


def test_the_scan_sees_shapes_only() -> None:
    lines = [line for line in (*SAMPLE, *GERMAN.splitlines()) if "---" not in line]
    assert all(PARSER.wants(re.sub(r"\d", "0", line)) for line in lines)


@given(st.lists(st.sampled_from([*SAMPLE, *GERMAN.splitlines()]) | st.text()))
def test_any_lines_are_survived(lines: list[str]) -> None:
    assert all(name.startswith(("site/", "list/")) and host for _, name, _, host in readings("\n".join(lines)))


def test_a_column_of_tests_keeps_the_rows_of_one_node_apart() -> None:
    text = "node,check,result,detail\nn01,nvlink,FAIL,GPU 1 link 7 inactive\nn01,ib,PASS,\nn02,nvlink,PASS,\nn02,ib,PASS,\n"
    assert [(name, value, host) for attribute, name, value, host in readings(text) if value == "fail"] == [
        ("site/nvlink", "fail", "n01")
    ]


def test_of_two_verdicts_on_one_node_the_one_that_fails_stands() -> None:
    assert verdicts("node | verdict\nn01 | FAIL\nn01 | OK\nn02 | OK\n") == {"n01": "fail", "n02": "pass"}
