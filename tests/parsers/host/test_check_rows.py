"""Rows of checks with a verdict each, as scripts of all kinds print them."""

from __future__ import annotations

import pytest
from docstring_samples import sample_in
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from job_findings import check
from text_findings import said

from slowlink.parsers.forms.lines import form_of
from slowlink.parsers.host import check_rows
from slowlink.parsers.host.check_rows import PARSER

SAMPLE = sample_in(check_rows.__doc__ or "")
CHINESE = """\
节点检查: gpu-sh-018
[通过] GPU 数量: 8
[失败] NVLink 状态: GPU 6 有 2 条链路 inactive
[失败] nvidia_peermem 未加载
"""
NUMBERED = """\
[1/3] Checking GPUs .......................... PASS
[2/3] Checking InfiniBand .................... FAIL
      mlx5_4 state Down
[3/3] Checking PCIe .......................... PASS
"""


def rows(text: str) -> list[tuple[str, object, str | None]]:
    return [(r.part.name, r.value, r.host) for r in feed(PARSER, text.splitlines())]


def test_each_row_is_a_test_of_the_node_in_the_heading() -> None:
    assert rows(SAMPLE) == snapshot(
        [
            ("checks/GPU count", "pass", "hgx-r3-n12"),
            ("checks/GPU count", "8", "hgx-r3-n12"),
            ("checks/NVLink", "fail", "hgx-r3-n12"),
            ("checks/NVLink", "GPU 5 has 16 of 18 links up", "hgx-r3-n12"),
            ("checks/ECC without errors", "pass", "hgx-r3-n12"),
            ("checks/nvidia_peermem not loaded", "fail", "hgx-r3-n12"),
            ("checks/InfiniBand", "pass", "hgx-r3-n12"),
            ("checks/NVLink (GPU 2)", "fail", "hgx-r3-n12"),
            ("checks/NVLink (GPU 2)", "GPU 2", "hgx-r3-n12"),
            ("checks/pcie", "fail", "hgx-r3-n12"),
            ("checks/pcie", "GPU 3 is x8", "hgx-r3-n12"),
        ]
    )


def test_the_line_below_a_row_that_failed_says_why() -> None:
    assert rows(NUMBERED) == snapshot(
        [
            ("rows/GPUs", "pass", None),
            ("rows/InfiniBand", "fail", None),
            ("rows/InfiniBand", "mlx5_4 state Down", None),
            ("rows/PCIe", "pass", None),
        ]
    )


def test_of_equal_names_the_one_that_fails_stands() -> None:
    text = "[OK] NVLink: GPU 0\n[FAIL] NVLink: GPU 1 down\n[OK] NVLink: GPU 2\n"
    assert rows(text) == [("rows/NVLink", "fail", None), ("rows/NVLink", "GPU 1 down", None)]


def test_the_result_of_all_counts_beside_others_only() -> None:
    assert rows("Result: OK\n") == []
    assert rows("gpu: OK\nnvlink: OK\nErgebnis: nicht abgenommen\n")[-1] == ("checks/final result", "fail", None)


@pytest.mark.parametrize(
    "text",
    [
        "[  OK  ] Started NVIDIA Persistence Daemon.\n[  OK  ] Reached target Network.\n[  OK  ] Started NVIDIA fabric.\n",
        "[       OK ] NvlinkTest.Ring (3 ms)\n[       OK ] GpuTest.Copy (1 ms)\n",
        "[ OK ] GPU found\n",  # one row alone
        "[OK] Configuration written\n[OK] User created\n",
        "[OK] NVIDIA driver installed\n[OK] NCCL 2.26 built\n[OK] RDMA packages installed\n",
        "[INFO] GPU 0 is ready\n[DEBUG] NVLink up\n",
        "link: good\nport: up\n",
        "✓ bandwidth below limit\n✓ port open\n✗ temperature in body\n",  # of any computer
        "PASS: gpu-rows.sh\nPASS: nvlink-rows.sh\nFAIL: pcie-rows.sh\n",  # automake
        "FAIL: test_gpu_count (tests.test_rows.Rows)\nPASS: LLVM :: CodeGen/nvlink/a.ll (1 of 9)\n",
        "gpu-driver-parser ... FAIL (2 assertions)\npcie-table-docs ... PASS\nmypy gpu package....Failed\n",
        "✅ NCCL ring\n❌ NCCL tree (not yet)\n❌ GPU storage (planned)\n",
        "tests/test_gpu.py::test_copy PASSED [ 50%]\ntests/test_gpu.py::test_nccl PASSED [100%]\n",
    ],
)
def test_what_is_no_check_of_a_node(text: str) -> None:
    assert rows(text) == []


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("FAIL - ECC: GPU 3 has 2 errors", "ECC"),
        ("2031-02-03 10:11:13 ERROR healthcheck: ib_state ... failed (mlx5_2: DOWN)", "ib_state"),
        ("[2/6] Checking NVLink ........ [ FAILED ]", "NVLink"),
        ("[FAIL] NVLink (H100): GPU 5 has 16 of 18 links", "NVLink (H100)"),
        ("[ERROR] nvlink: GPU3 link 2 down", "nvlink"),
        ("[FAIL] NVLink: GPU 3 links not yet up (planned)", "NVLink"),
        ("❌ NVLink: yet another link of GPU 3 is down", "NVLink"),
        ("[FAIL] NVLink: GPU 3 links down; nvidia-smi says: " + "Link 0: inactive " * 60, "NVLink"),
    ],
)
def test_forms_of_a_row_that_failed(line: str, name: str) -> None:
    found = rows(f"[OK] gpus 8\n{line}\n")
    assert [part.partition("/")[2] for part, value, _ in found if value == "fail"] == [name]


def test_marks_with_a_colon_and_plugins_of_nagios() -> None:
    assert rows("PASS: GPU count 8/8\nPASS: ECC without errors\nFAIL: NVLink GPU 3 has 16/18 links\n") == snapshot(
        [
            ("rows/GPU count 8/8", "pass", None),
            ("rows/ECC without errors", "pass", None),
            ("rows/NVLink GPU 3 has 16/18 links", "fail", None),
        ]
    )
    nagios = "OK - 8 GPUs found | gpus=8;;;0;8\nIB CRITICAL: mlx5_2 is down | 'ports up'=7;;\nOK: ECC 0 errors|ecc=0\n"
    assert rows(nagios) == snapshot(
        [
            ("rows/8 GPUs found", "pass", None),
            ("rows/mlx5_2 is down", "fail", None),
            ("rows/ECC 0 errors", "pass", None),
        ]
    )


def test_nodes_of_a_prefix_keep_their_rows_apart() -> None:
    text = "n1: [PASS] gpu_count: 8/8\nn1: [PASS] nvlink: ok\nn2: [FAIL] gpu_count: 7/8\nn2: [PASS] nvlink: ok\n"
    assert said("health-checks", f"$ pdsh -w n[1-2] check\n{text}") == snapshot(
        [("gpu-missing", "error", "likely", "n2: the node's check: gpu_count fails: 7/8")]
    )


def test_words_say_what_is_wrong_where_the_name_does_not() -> None:
    assert said("health-checks", NUMBERED) == snapshot(
        [("port-down", "error", "likely", "the node's check: InfiniBand fails: mlx5_4 state Down")]
    )
    assert said("health-checks", CHINESE) == snapshot(
        [
            (
                "nvlink-down",
                "error",
                "likely",
                "gpu-sh-018: the node's check: NVLink 状态 fails: GPU 6 有 2 条链路 inactive",
            ),
            ("health-check-failed", "error", "likely", "gpu-sh-018: the node's check: nvidia_peermem 未加载 fails"),
        ]
    )


@pytest.mark.parametrize(("count", "weight"), [(2, 0), (3, 0), (4, 1)])
def test_few_rows_that_pass_do_not_make_a_node_healthy(count: int, weight: int) -> None:
    text = "health check of gpu07:\n" + "".join(f"[OK] GPU {number} is fine\n" for number in range(count))
    assert [proof.weight for proof in check("health-checks", text.partition("\n")[2]).proofs] == [0]
    assert [proof.weight for proof in check("health-checks", text).proofs] == [weight]


@pytest.mark.parametrize(
    "above",
    ["", "Saving checkpoint of node07\n", "checking for nccl.h on build07... yes\n", "Installing drivers on node07\n"],
)
def test_rows_of_programs_that_check_no_node_do_not_make_it_healthy(above: str) -> None:
    text = above + "".join(f"[{n}/5] Checking GPU {n} ... OK\n" for n in range(5))
    assert [proof.weight for proof in check("health-checks", text).proofs] == [0]


def test_a_check_that_speaks_of_memory_and_ports_alone_does_not_make_a_node_healthy() -> None:
    text = "health check of web07:\n[OK] port 443\n[OK] memory\n[OK] temperature\n[OK] port 80\n"
    assert [proof.weight for proof in check("health-checks", text).proofs] == [0]


def test_a_row_with_a_cross_that_nothing_explains_is_only_possible() -> None:
    assert said("health-checks", "- ✅ GPUs ordered\n- ❌ GPU budget\n") == snapshot(
        [("health-check-failed", "error", "possible", "the node's check: GPU budget fails")]
    )


def test_a_check_that_did_not_run_is_neither_good_nor_bad() -> None:
    text = "[SKIP] NVLink: nvidia-smi not found\n[SKIPPED] GPU count: nvidia-smi not found\n"
    assert rows(text) == []
    assert said("health-checks", text) == []
    assert PARSER.wants(text.splitlines()[0])


@given(st.lists(st.sampled_from([*SAMPLE.splitlines(), *NUMBERED.splitlines(), "", "word"]), max_size=12))
def test_any_lines_give_a_result(lines: list[str]) -> None:
    for found in feed(PARSER, lines):
        assert found.part.name.startswith(("checks/", "rows/"))
        assert found.attribute in ("health-test", "health-test-detail")


def test_what_is_used_is_wanted_whatever_its_numbers() -> None:
    for line in (SAMPLE + NUMBERED + CHINESE).splitlines():
        if feed(PARSER, [line, "[FAIL] GPU 1"])[1:]:
            assert PARSER.wants(form_of(line).decode()), line
