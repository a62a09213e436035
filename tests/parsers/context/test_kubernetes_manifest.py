"""Variables of Kubernetes manifests."""

from __future__ import annotations

import re

import pytest
from feeding import feed
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.parsers.context.kubernetes_manifest import MAX_SETTINGS, PARSER

TEXT = """\
          env:
            # how loud
            - name: NCCL_DEBUG
              value: "INFO"
            - name: NCCL_IB_HCA
              # all rails
              value: mlx5_0,mlx5_1   # of four
            - name: MASTER_ADDR
              value: "10.0.0.1"
            - name: NCCL_SOCKET_IFNAME
              valueFrom: x
            - name: other
              value: "1"
"""


def pairs(*lines: str) -> list[tuple[str, str, str]]:
    return [(one.name, one.value, one.origin) for one in feed(PARSER, lines)]


def test_manifest() -> None:
    assert pairs(*TEXT.splitlines()) == [
        ("NCCL_DEBUG", "INFO", "manifest"),
        ("NCCL_IB_HCA", "mlx5_0,mlx5_1", "manifest"),
    ]


@given(end=st.integers(0, len(TEXT)))
def test_a_manifest_cut_anywhere_invents_no_variable(end: int) -> None:
    found = pairs(*TEXT[:end].splitlines())
    assert [name for name, _, _ in found] == ["NCCL_DEBUG", "NCCL_IB_HCA"][: len(found)]
    assert all(value in TEXT for _, value, _ in found)


@pytest.mark.parametrize(
    "lines",
    [
        ["- name: NCCL_DEBUG", "  valueFrom:", "    fieldRef: x"],
        ["- name: NCCL_DEBUG", '  value: "{{ .Values.debug }}"'],
        ["- name: NCCL_DEBUG", '  value: "$(LEVEL)"'],
        ['  value: "INFO"', "- name: NCCL_DEBUG"],
        ["- name: worker", '  value: "1"'],
        ["the name: NCCL_DEBUG", "its value: INFO"],
    ],
)
def test_what_is_no_setting(lines: list[str]) -> None:
    assert pairs(*lines) == []


def test_settings_are_bounded() -> None:
    lines = [text for number in range(MAX_SETTINGS + 50) for text in (f"- name: NCCL_X{number}", '  value: "1"')]
    assert len(pairs(*lines)) == MAX_SETTINGS


@given(texts=st.lists(st.one_of(st.text(max_size=40), st.sampled_from(["- name: NCCL_X", "value: 1", "# a comment"]))))
@settings(max_examples=50, deadline=None)
def test_any_lines_give_a_result(texts: list[str]) -> None:
    assert all(PARSER.wants(text) == PARSER.wants(re.sub(r"\d", "0", text)) for text in texts)
    assert all(1 <= found.ref.line <= len(texts) for found in feed(PARSER, texts))
