"""GPUs that a Kubernetes node has and offers."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from slowlink.model.job import JobEvent
from slowlink.parsers.forms.lines import form_of
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


LISTED = """\
NAME     STATUS                        ROLES           AGE    VERSION   INTERNAL-IP   EXTERNAL-IP   OS IMAGE             KERNEL VERSION   CONTAINER RUNTIME
ctl-01   Ready                         control-plane   120d   v1.29.4   10.0.0.1      <none>        Ubuntu 22.04.4 LTS   5.15.0-105       containerd://1.7.2
gpu-02   NotReady                      <none>          120d   v1.29.4   10.0.0.2      <none>        Ubuntu 22.04.4 LTS   5.15.0-105       containerd://1.7.2
gpu-03   Ready,SchedulingDisabled      <none>          120d   v1.29.4   10.0.0.3      <none>        Ubuntu 22.04.4 LTS   5.15.0-105       containerd://1.7.2
gpu-04   NotReady,SchedulingDisabled   <none>          120d   v1.29.4   10.0.0.4      <none>        Ubuntu 22.04.4 LTS   5.15.0-105       containerd://1.7.2
gpu-05   Unknown                       <none>          120d   v1.29.4   10.0.0.5      <none>        Ubuntu 22.04.4 LTS   5.15.0-105       containerd://1.7.2
"""
_SINCE = "Fri, 20 Nov 2026 09:55:00 +0000   Fri, 20 Nov 2026 10:00:00 +0000"
CONDITIONS = f"""\
Name:               gpu-07
Conditions:
  Type             Status    LastHeartbeatTime   LastTransitionTime   Reason                 Message
  ----             ------    -----------------   ------------------   ------                 -------
  MemoryPressure   Unknown   {_SINCE}   NodeStatusUnknown   Kubelet stopped posting node status.
  Ready            Unknown   {_SINCE}   NodeStatusUnknown   Kubelet stopped posting node status.
Name:               gpu-08
  KernelDeadlock   False     {_SINCE}   KernelHasNoDeadlock      kernel has no deadlock
  DiskPressure     True      {_SINCE}   KubeletHasDiskPressure   kubelet has disk pressure
  Ready            True      {_SINCE}   KubeletReady             kubelet is posting ready status
"""
NODES = LISTED + CONDITIONS


def states(text: str) -> list[tuple[str, str | None, dict[str, str]]]:
    found = feed(KubernetesNodes, text.splitlines())
    return [(seen.kind, seen.host, dict(seen.groups)) for seen in found if isinstance(seen, JobEvent)]


def test_nodes_that_are_not_ready() -> None:
    assert states(LISTED) == snapshot(
        [
            ("k8s-node-not-ready", "gpu-02", {"state": "NotReady", "message": ""}),
            ("k8s-node-cordoned", "gpu-03", {"state": "Ready,SchedulingDisabled"}),
            ("k8s-node-not-ready", "gpu-04", {"state": "NotReady", "message": ""}),
            ("k8s-node-not-ready", "gpu-05", {"state": "Unknown", "message": ""}),
        ]
    )


def test_the_conditions_of_a_described_node() -> None:
    assert states(CONDITIONS) == snapshot(
        [
            (
                "k8s-node-not-ready",
                "gpu-07",
                {"state": "Ready Unknown", "message": "Kubelet stopped posting node status."},
            ),
            ("k8s-node-unfit", "gpu-08", {"state": "DiskPressure True", "message": "kubelet has disk pressure"}),
        ]
    )


def test_a_row_without_its_heading_is_nobody_s() -> None:
    assert states(LISTED.partition("\n")[2]) == []
    assert states("NAME STATUS AGE\nbound-claim NotReady 3d\n") == []


def test_every_line_of_nodes_is_wanted_by_its_form() -> None:
    for line in NODES.splitlines():
        assert KubernetesNodes.wants(form_of(line).decode()) == KubernetesNodes.wants(line), line


@given(st.lists(st.sampled_from(NODES.splitlines()) | st.text(max_size=40), max_size=12), st.integers(0, 60))
def test_any_order_and_any_cut_gives_states_of_nodes(lines: list[str], cut: int) -> None:
    for kind, host, groups in states("\n".join(lines)[: -cut or None]):
        assert kind in ("k8s-node-not-ready", "k8s-node-unfit", "k8s-node-cordoned")
        assert host is None or host.startswith(("gpu", "ctl"))
        assert groups["state"]


def test_a_description_says_that_a_node_is_cordoned() -> None:
    described = "Name:               gpu-07\nTaints:             <none>\nUnschedulable:      {}\n"
    assert states(described.format("true")) == snapshot([("k8s-node-cordoned", "gpu-07", {"state": "Unschedulable"})])
    assert states(described.format("false")) == []
