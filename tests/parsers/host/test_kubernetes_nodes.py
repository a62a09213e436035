"""GPUs that a Kubernetes node has and offers."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.host.kubernetes_nodes import KubernetesNodes

DESCRIBED = """\
Name:               {name}
Roles:              <none>
Capacity:
  cpu:                96
  nvidia.com/gpu:     8
  pods:               110
Allocatable:
  cpu:                95500m
  nvidia.com/gpu:     {offered}
Allocated resources:
  nvidia.com/gpu     0            0
"""
YAML = """\
  allocatable:
    cpu: 95500m
    amd.com/gpu: "6"
  capacity:
    cpu: "96"
    amd.com/gpu: "8"
"""


def counts(text: str) -> list[tuple[str | None, str, str]]:
    """(node, GPUs that it has, GPUs that it offers)."""
    return [(seen.host, seen.subject, seen.value) for seen in feed(KubernetesNodes, text.splitlines())]


def test_a_described_node() -> None:
    both = DESCRIBED.format(name="gpu07", offered=7) + DESCRIBED.format(name="gpu08.example.org", offered=8)
    assert counts(both) == [("gpu07", "8", "7"), ("gpu08.example.org", "8", "8")]


def test_the_same_as_yaml() -> None:
    assert counts(YAML) == [(None, "8", "6")]


def test_a_plugin_that_offers_none_says_nothing_about_gpus() -> None:
    assert counts(DESCRIBED.format(name="gpu07", offered=0)) == []


@pytest.mark.parametrize(
    "text", ["  nvidia.com/gpu:  8\n", "Capacity:\n  nvidia.com/gpu:  8\n", "Limits:\n  nvidia.com/gpu:  8\n"]
)
def test_one_number_alone_is_no_comparison(text: str) -> None:
    assert counts(text) == []


@given(st.text())
def test_any_text_gives_a_result(text: str) -> None:
    feed(KubernetesNodes, text.splitlines())
