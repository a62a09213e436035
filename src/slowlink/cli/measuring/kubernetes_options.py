"""Options of commands that make pods: what they are given, and what runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from slowlink.launch.interface import KubernetesOptions

F = TypeVar("F", bound=Callable[..., object])


def _pairs(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[tuple[str, str], ...]:  # noqa: ARG001
    """``NAME=VALUE`` each."""
    found = []
    for word in given:
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"'{word}' is no NAME=VALUE")
        found.append((name, value))
    return tuple(found)


def kubernetes_options(function: F) -> F:
    """``--operator --gpu-resource --rdma-resource ...``: Kubernetes alone."""
    for option in (
        click.option("--priority-class", metavar="NAME", help="Kubernetes: of the pods."),
        click.option("--pull-secret", "pull_secrets", multiple=True, metavar="NAME",
                     help="Kubernetes: for the registry of the image. Repeatable."),
        click.option("--toleration", "tolerations", multiple=True, metavar="KEY",
                     help="Kubernetes: pods also go to nodes with this taint. Repeatable."),
        click.option("--node-selector", multiple=True, metavar="LABEL=VALUE", callback=_pairs,
                     help="Kubernetes: only nodes with this label. Repeatable."),
        click.option("--pod-network", "pod_networks", multiple=True, metavar="NAME",
                     help="Kubernetes: a further network of each pod (Multus). Repeatable."),
        click.option("--host-network", is_flag=True, help="Kubernetes: pods use the network of their node."),
        click.option("--rdma-count", type=click.IntRange(1, 64), default=1, show_default=True,
                     help="Kubernetes: how many of the RDMA resource each pod gets."),
        click.option("--rdma-resource", metavar="NAME",
                     help="Kubernetes: as the RDMA device plugin of the cluster names it."),
        click.option("--gpu-resource", default="nvidia.com/gpu", show_default=True, help="Kubernetes: or amd.com/gpu."),
        click.option("--without-sshd", is_flag=True,
                     help="Kubernetes: the image has none; kubectl exec starts ranks in the pods."),
        click.option("--service-account", metavar="NAME", help="Kubernetes: of the pods."),
        click.option("--operator", type=click.Choice(["job", "mpijob", "jobset"]), default="job", show_default=True,
                     help="Kubernetes: what runs the pods."),
    ):  # fmt: skip
        function = option(function)
    return function


def kubernetes_of(given: dict[str, Any]) -> KubernetesOptions:
    """What these options say."""
    from slowlink.launch.interface import KubernetesOptions

    return KubernetesOptions(
        operator=given["operator"],
        gpu_resource=given["gpu_resource"],
        rdma_resource=given["rdma_resource"],
        rdma_count=given["rdma_count"],
        host_network=given["host_network"],
        service_account=given["service_account"],
        node_selector=given["node_selector"],
        tolerations=given["tolerations"],
        pull_secrets=given["pull_secrets"],
        networks=given["pod_networks"],
        priority_class=given["priority_class"],
        sshd=not given["without_sshd"],
    )
