"""A search that prints nothing is an answer, where a prompt shows that it printed nothing."""

from __future__ import annotations

from typing import Any

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.inputs import Input
from slowlink.parsers.context.silent_answers import SilentAnswers
from slowlink.parsers.reading.read import read

PROMPT = "[root@gpu07 ~]# "
PEERMEM, SYMBOL = ("module-loaded", "nvidia_peermem", False), ("mm-kobj-exported", "", False)
SYMVERS = "/lib/modules/5.14.0/build/Module.symvers"


def said(text: str) -> list[tuple[str, str, Any]]:
    return [(r.attribute, r.part.name, r.value) for r in feed(SilentAnswers, text.splitlines())]


@pytest.mark.parametrize(
    "asked",
    [
        "lsmod | grep nvidia_peermem",
        "lsmod | grep -i peermem",
        "lsmod|grep peer_mem",
        "lsmod | grep -E 'nvidia_peermem|nv_peer_mem'",
        "lsmod | egrep 'mlx5_foo|nvidia_peermem'",
        'lsmod | grep -e "nv_peer\\|peermem"',
        "grep peermem /proc/modules",
        "cat /proc/modules | grep nvidia_peermem",
        "sudo lsmod | grep peermem 2>/dev/null",
        "lsmod | grep peermem | head -3",
    ],
)
def test_a_module_that_is_not_in_the_list(asked: str) -> None:
    assert said(f"{PROMPT}{asked}\n{PROMPT}\n") == [PEERMEM]
    assert said(f"{PROMPT}{asked}\nnvidia_peermem         16384  0\n{PROMPT}\n") == []


@pytest.mark.parametrize(
    "asked",
    [
        "grep -w mm_kobj /proc/kallsyms",
        "grep __ksymtab_mm_kobj /proc/kallsyms",
        "sudo cat /proc/kallsyms | grep mm_kobj",
        f"grep -w mm_kobj {SYMVERS}",
        "zgrep mm_kobj /boot/symvers-5.14.0.gz",
    ],
)
def test_a_symbol_that_the_kernel_does_not_have(asked: str) -> None:
    assert said(f"{PROMPT}{asked}\n{PROMPT}\n") == [SYMBOL]
    assert said(f"{PROMPT}{asked}\nffffffffb3ec1018 D mm_kobj\n{PROMPT}\n") == []


@pytest.mark.parametrize(
    "prompt", ["$ ", "# ", "root@gpu07:~# ", "(ml) ops@gpu07:/opt$ ", "gpu07:~ # ", "gpu07$ ", "+ ", "❯ ", "➜  ~ "]
)
def test_what_comes_after_nothing_is_a_prompt(prompt: str) -> None:
    assert said(f"{PROMPT}lsmod | grep peermem\n{prompt}uptime\n") == [PEERMEM]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"grep -w mm_kobj {SYMVERS}; echo rc=$?\nrc=1\n", [SYMBOL]),
        (f"grep -w mm_kobj {SYMVERS}; echo rc=$?\n0x1d1a5f8a\tmm_kobj\tvmlinux\tEXPORT_SYMBOL_GPL\nrc=0\n", []),
        (f"grep -w mm_kobj {SYMVERS}; echo rc=$?\ngrep: {SYMVERS}: No such file or directory\nrc=2\n", []),
        (f"grep -w mm_kobj {SYMVERS}; echo rc=$?\nrc=2\n", []),
        ('lsmod | grep -q peermem; echo "exit ${?}"\nexit 1\n', [PEERMEM]),
        ("lsmod | grep -q peermem && echo yes || echo no\nno\n", [PEERMEM]),
        ("lsmod | grep -q peermem && echo yes || echo no\nyes\n", []),
        ("lsmod | grep peermem || echo 'not loaded'\nnot loaded\n", [PEERMEM]),
        ("lsmod | grep -c peermem\n0\n", [PEERMEM]),
        ("lsmod | grep -c peermem\n1\n", []),
    ],
)
def test_words_of_its_own_for_nothing(text: str, expected: list[tuple[str, str, Any]]) -> None:
    assert said(PROMPT + text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "lsmod | grep peermem\n",
        "lsmod | grep peermem\n\n",
        f"lsmod | grep -q peermem\n{PROMPT}\n",
        f"lsmod | grep -v peermem\n{PROMPT}\n",
        f"lsmod | grep -c peermem\n{PROMPT}\n",
        f"grep mm_kobj {SYMVERS} 2>/dev/null\n{PROMPT}\n",
        f"grep -s mm_kobj {SYMVERS}\n{PROMPT}\n",
        f"lsmod | grep peermem | wc -l\n{PROMPT}\n",
        f"lsmod | grep peermem > /tmp/out\n{PROMPT}\n",
        f"lsmod | grep mlx5_foo\n{PROMPT}\n",
        f"dmesg | grep peermem\n{PROMPT}\n",
        f"lsmod | grep peermem\n-bash: lsmod: command not found\n{PROMPT}\n",
        f"lsmod | grep peermem; uptime\n{PROMPT}\n",
    ],
)
def test_silence_that_says_nothing(text: str) -> None:
    assert said(PROMPT + text) == []


def test_what_a_search_for_several_things_does_not_print() -> None:
    text = f"{PROMPT}lsmod | grep -E 'mlx5_ib|nvidia_peermem'\nmlx5_ib   462848  0\nib_core 524288 1 mlx5_ib\n{PROMPT}"
    assert said(text) == [PEERMEM]


def test_a_node_that_was_asked_by_its_name() -> None:
    text = f"$ ssh gpu09 'lsmod | grep peermem'\n$ ssh -q root@gpu10 lsmod | grep peermem\n$ exit\n{PROMPT}uptime\n"
    assert [(r.host, r.attribute) for r in feed(SilentAnswers, text.splitlines())] == [
        ("gpu09", "module-loaded"),
        ("gpu10", "module-loaded"),
    ]


def test_a_prompt_that_answers_still_names_its_node() -> None:
    text = f"{PROMPT}lsmod | grep peermem\n[root@gpu08 ~]# lsmod | grep peermem\n[root@gpu09 ~]# exit\n"
    records = read([Input("t", None, [text.encode()])], workers=1)
    assert [c.host for c in records.collected] == ["gpu07", "gpu08", "gpu09"]
    assert [r.ref.line for r in records.readings] == [1, 2]


@given(
    st.lists(
        st.one_of(
            st.text(max_size=40),
            st.sampled_from([PROMPT + "lsmod | grep peermem", "grep mm_kobj /proc/kallsyms; echo $?", "1", PROMPT]),
        )
    )
)
def test_any_lines_give_a_result(lines: list[str]) -> None:
    assert len(feed(SilentAnswers, lines)) <= 2 * len(lines)
