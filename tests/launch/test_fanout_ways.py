"""The exact command lines by which a shell on a node is reached."""

from __future__ import annotations

import pytest

from slowlink.errors import SlowlinkError
from slowlink.launch.fanout.ways import Here, OverKubernetes, OverSlurm, OverSsh, way_of
from slowlink.model.plan import Node
from slowlink.quoting import quote


def test_ssh() -> None:
    node = Node("gpu01", address="10.0.0.1", user="admin", port=2222)
    assert quote(OverSsh("/usr/bin/ssh").argv(node)) == (
        "/usr/bin/ssh -o BatchMode=yes -o StrictHostKeyChecking=accept-new -o ConnectTimeout=10"
        " -o ServerAliveInterval=5 -o ServerAliveCountMax=3 -o LogLevel=ERROR -o ControlMaster=no -T -x"
        " -l admin -p 2222 -- 10.0.0.1 sh -s"
    )
    assert quote(OverSsh().argv(Node("gpu01"))).endswith(" -x -- gpu01 sh -s")


def test_slurm() -> None:
    assert quote(OverSlurm().argv(Node("gpu01"))) == (
        "srun --job-name=slowlink --nodes=1 --ntasks=1 --nodelist=gpu01 --overlap --mem=0 --cpu-bind=none --mpi=none"
        " --immediate=60 --quiet --unbuffered --export=ALL sh -s"
    )


def test_kubernetes() -> None:
    node = Node("gpu01", address="agent-x7k2p")
    assert quote(OverKubernetes().argv(node)) == "kubectl exec --stdin agent-x7k2p -- sh -s"
    way = OverKubernetes("/bin/kubectl", context="prod", namespace="hpc", container="main")
    assert quote(way.argv(node)) == (
        "/bin/kubectl --context=prod --namespace=hpc exec --stdin --container=main agent-x7k2p -- sh -s"
    )


def test_this_machine() -> None:
    assert Here().argv(Node("anything")) == ("sh", "-s")


def test_who_failed() -> None:
    assert OverSsh().lost(255, "")
    assert not OverSsh().lost(3, "")
    assert OverSlurm().lost(1, "srun: error: Unable to create step for job 7: Invalid node name specified\n")
    assert not OverSlurm().lost(3, "srun: error: gpu01: task 0: Exited with exit code 3\n")
    assert OverKubernetes().lost(1, 'Error from server (NotFound): pods "x" not found\n')
    assert OverKubernetes().lost(126, "exec failed: no sh\ncommand terminated with exit code 126\n")
    assert not OverKubernetes().lost(3, "command terminated with exit code 3\n")


def test_a_way_by_name() -> None:
    assert way_of("ssh", {"ssh": "/usr/bin/ssh"}) == OverSsh("/usr/bin/ssh")
    assert way_of("slurm", {"srun": "/usr/bin/srun"}) == OverSlurm("/usr/bin/srun")
    assert way_of("kubernetes", {"kubectl": "/k"}, namespace="hpc") == OverKubernetes("/k", None, "hpc")
    assert way_of("local", {}) == Here()
    for name, slug in (
        ("ssh", "no-ssh"),
        ("slurm", "no-srun"),
        ("kubernetes", "no-kubectl"),
        ("x", "unknown-launcher"),
    ):
        with pytest.raises(SlowlinkError) as caught:
            way_of(name, {})
        assert (caught.value.slug, bool(caught.value.hint)) == (slug, True)
