"""The nodes that options name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ClusterShell import NodeSet, NodeUtils

from slowlink.bundle import BundleWriter
from slowlink.errors import SlowlinkError
from slowlink.model.plan import Ended
from slowlink.workflows.nodes_given import NodeChoice, chosen_nodes


def names(choice: NodeChoice) -> list[str]:
    found = chosen_nodes(choice)
    assert found is not None
    return [node.name for node in found.nodes]


@pytest.fixture
def groups(tmp_path: Path) -> Iterator[None]:
    """A site's groups, as ClusterShell finds them."""
    place = tmp_path / "config" / "clustershell"
    (place / "groups.d").mkdir(parents=True)
    (place / "groups.conf").write_text("[Main]\ndefault: local\nautodir: $CFGDIR/groups.d\n")
    (place / "groups.d" / "local.yaml").write_text("local:\n  gpu: g[1-4]\n  sick: g3\n")
    NodeSet.set_std_group_resolver(NodeUtils.GroupResolverConfig([str(place / "groups.conf")]))
    yield
    NodeSet.set_std_group_resolver(None)


@pytest.mark.usefixtures("groups")
def test_a_group_and_what_is_left_out_of_it() -> None:
    assert names(NodeChoice("@gpu")) == ["g1", "g2", "g3", "g4"]
    assert names(NodeChoice("@gpu,n1", exclude=("@sick", "n1"))) == ["g1", "g2", "g4"]


@pytest.mark.parametrize("text", ["@gpu;reboot", "@$(reboot)", "@a b", "@"])
def test_a_group_is_a_plain_word(text: str) -> None:
    with pytest.raises(SlowlinkError):
        chosen_nodes(NodeChoice(text))


def test_files_users_and_sets_together(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("b slots=8\n# c\nd\n")
    found = chosen_nodes(NodeChoice(f"root@a,^{hosts},e[1-2]"))
    assert found is not None
    assert [(node.name, node.user, node.slots) for node in found.nodes] == [
        ("a", "root", None),
        ("b", None, 8),
        ("d", None, None),
        ("e1", None, None),
        ("e2", None, None),
    ]


def test_what_would_be_taken_by_a_slip_is_refused() -> None:
    with pytest.raises(SlowlinkError, match="not among the nodes"):
        chosen_nodes(NodeChoice("a[1-4]", exclude=("a5",)))
    with pytest.raises(SlowlinkError, match="leaves no node"):
        chosen_nodes(NodeChoice("a[1-4]", exclude=("a[1-4]",)))
    with pytest.raises(SlowlinkError, match="none are"):
        chosen_nodes(NodeChoice(exclude=("a",)))
    with pytest.raises(SlowlinkError, match="nodes come from one place"):
        chosen_nodes(NodeChoice("a", "hosts"))


def test_those_that_failed_before(tmp_path: Path) -> None:
    ends = {"a": ("exited", 0), "b": ("unanswered", None), "c": ("exited", 1), "d": ("interrupted", None)}
    with BundleWriter(tmp_path / "bundle") as bundle:
        for node, (reason, status) in ends.items():
            with bundle.capture(f"state/{node}", "state", (), node=node) as capture:
                capture.end(Ended(status, None, reason, 0.0, 1.0))
    assert names(NodeChoice(retry=str(tmp_path / "bundle"))) == ["b", "c"]
    assert names(NodeChoice(retry=str(tmp_path / "bundle"), exclude=("c",))) == ["b"]


@pytest.mark.parametrize("name", ["-oProxyCommand=reboot", "b;reboot", "$(reboot)", "b\nc", "@*"])
def test_a_bundle_names_hosts_and_nothing_that_ssh_takes_for_an_option(tmp_path: Path, name: str) -> None:
    with BundleWriter(tmp_path / "bundle") as bundle, bundle.capture("state/a", "state", (), node="a") as capture:
        capture.end(Ended(None, None, "unanswered", 0.0, 1.0, nodes=("a", name)))
    with pytest.raises(SlowlinkError, match="is not the name of a host"):
        chosen_nodes(NodeChoice(retry=str(tmp_path / "bundle")))


def test_nothing_failed(tmp_path: Path) -> None:
    BundleWriter(tmp_path / "bundle").finish()
    with pytest.raises(SlowlinkError, match=r"no node of .* failed"):
        chosen_nodes(NodeChoice(retry=str(tmp_path / "bundle")))
