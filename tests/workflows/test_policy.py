"""A policy from a good node: the node meets it, and what is wrong with another is told."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from msgspec.structs import replace

from simulated_nodes import GOOD, on_disk
from slowlink import __version__
from slowlink.catalog.attributes import all_attributes
from slowlink.collectors.catalogue import chosen
from slowlink.collectors.script import compose
from slowlink.errors import SlowlinkError
from slowlink.facts.assemble import assemble
from slowlink.facts.policy import in_policy_words, reviewed
from slowlink.inputs import open_given
from slowlink.model.facts import Readings, State
from slowlink.model.policy import Policy, PolicyReview
from slowlink.model.source import Ref
from slowlink.model.state import Collected, Part, Reading
from slowlink.parsers.reading.read import read
from slowlink.simulate.node_state.description import SimulatedNode
from slowlink.workflows.analyze import analyze
from slowlink.workflows.policy.read import read_policy
from slowlink.workflows.policy.write import policy_text

SICK = {
    "governor": replace(GOOD, governor="powersave"),
    "port": replace(GOOD, slow_port=3),
    "peermem": replace(GOOD, peermem=False),
    "gpu": replace(GOOD, gpus=7),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nodes")


def transcript(folder: Path, node: SimulatedNode, name: str) -> bytes:
    """What the real collectors print on it."""
    root, path = on_disk(node, folder / name)
    script = compose(chosen(), "7d31c0", limit_s=300, sample_s=0, root=root, twice=False)
    done = subprocess.run(["sh", "-s"], input=script.encode(), env={**os.environ, "PATH": path}, stdout=-1, check=True)
    return done.stdout


def state_of(text: bytes) -> State:
    found = assemble(read(open_given([text]), 1)).state
    assert found is not None
    return found


def written(folder: Path, text: str) -> Policy:
    path = folder / "policy.toml"
    path.write_text(text)
    return read_policy(path)


def told(review: PolicyReview | None) -> list[tuple[str, str, str]]:
    assert review is not None
    return [(each.expected.attribute, each.value, in_policy_words(each.expected)) for each in review.deviations]


@pytest.fixture(scope="module")
def policy(folder: Path) -> Policy:
    state = state_of(transcript(folder, GOOD, "good"))
    return written(folder, policy_text(state, state.nodes[0], "2026-11-28 09:00 UTC"))


def test_a_good_node_meets_its_own_policy(folder: Path, policy: Policy) -> None:
    text = transcript(folder, GOOD, "again")
    review = reviewed(state_of(text), policy)
    assert told(review) == []
    assert review is not None
    assert review.met == len(policy.expected) > 60
    assert "lspci" in policy.collectors
    report = analyze([text], policy=policy)
    assert (report.verdict, report.diagnoses) == ("healthy", ())
    assert f"as the policy says in all {review.met} points" in str(report.facts["proofs"])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("governor", snapshot([("cpu-governor", "powersave", "performance")])),
        ("port", snapshot([("port-rate", "200", "400"), ("port-width", "2", "4")])),
        (
            "peermem",
            snapshot(
                [
                    ("peer-memory-interface", "off", "on"),
                    ("module-loaded", "off", "on"),
                    ("module-version", "absent", "570.133.20"),
                ]
            ),
        ),
        (
            "gpu",
            snapshot(
                [
                    ("gpu-count", "7", "8"),
                    ("topology-gpus", "7", "8"),
                    ("topology-nics", "7", "8"),
                    ("count", "7", "8"),
                    ("gpu-nic-link", "absent", "PXB"),
                    ("gpu-nic-link", "absent", "NODE"),
                    ("count", "126", "144"),
                    ("count", "7", "8"),
                    ("count", "7", "8"),
                    ("pci-driver", "absent", "nvidia"),
                    ("pci-role", "absent", "gpu"),
                    ("pci-device", "absent", "NVIDIA Corporation GH100 [H100 SXM5 80GB]"),
                    ("pci-driver", "absent", "mlx5_core"),
                    ("pci-role", "absent", "hca"),
                    ("pci-device", "absent", "Mellanox Technologies MT2910 Family [ConnectX-7]"),
                    ("pci-role", "absent", "bridge"),
                    ("pci-device", "absent", "Intel Corporation Device 352a"),
                    ("pci-device", "absent", "Broadcom / LSI PEX890xx PCIe Gen 5 Switch"),
                ]
            ),
        ),
    ],
)
def test_what_is_wrong_is_told(folder: Path, policy: Policy, name: str, expected: list[tuple[str, str, str]]) -> None:
    assert told(reviewed(state_of(transcript(folder, SICK[name], name)), policy)) == expected


def test_a_fleet_that_is_wrong_alike_is_found(folder: Path, policy: Policy) -> None:
    text = transcript(folder, SICK["governor"], "alike").decode()
    nodes = [text.replace(" host ", f" host gpu{number} node gpu{number} was ", 1) for number in range(3)]
    fleet = [one.replace(f" was {one.split(' was ', 1)[1].split(' ', 1)[0]}", "", 1).encode() for one in nodes]
    assert [d.cause for d in analyze(fleet).diagnoses if d.severity == "error"] == []
    report = analyze(fleet, policy=policy)
    assert (report.verdict, report.diagnoses[0].cause) == ("degraded", "policy-not-met")
    assert report.diagnoses[0].message == snapshot(
        "gpu[0-2]: cpu 16 CPUs: frequency governor powersave, not performance"
    )


def test_what_was_not_asked_is_unknown(policy: Policy) -> None:
    report = analyze([b"#slowlink-transcript 1 m host gpu01 at 1\n#slowlink-transcript 1 m done at 2\n"], policy=policy)
    assert report.verdict != "healthy"


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("700", True),
        ("[500, 700]", True),
        ("{at_least = 650}", True),
        ("{at_least = 650, at_most = 699}", False),
        ("[500, 600]", False),
        ('"700"', False),
        ("true", False),
    ],
)
def test_values_lists_and_bounds(tmp_path: Path, value: str, right: bool) -> None:
    policy = written(tmp_path, f'schema = "slowlink.policy/1"\n[gpu]\ngpu-power-limit = {value}\n')
    readings = [Reading("gpu-power-limit", Part("gpu", "0"), 700.0, Ref("t", 1, ""), "a")]
    found = reviewed(a_state(readings), policy)
    assert found is not None
    assert (found.deviations == ()) is right


@pytest.mark.parametrize(
    ("bound", "right"),
    [('{at_least = "550.54"}', True), ('{at_least = "550.127.1"}', False), ('{at_most = "550.54.15"}', True)],
)
def test_versions_are_compared_by_their_numbers(tmp_path: Path, bound: str, right: bool) -> None:
    policy = written(tmp_path, f'schema = "slowlink.policy/1"\n[node]\ndriver-version = {bound}\n')
    readings = [Reading("driver-version", Part("node"), "550.54.15", Ref("t", 1, ""), "a")]
    found = reviewed(a_state(readings), policy)
    assert found is not None
    assert (found.deviations == ()) is right


def test_a_part_that_is_named_and_gone_is_missed(tmp_path: Path) -> None:
    policy = written(tmp_path, 'schema = "slowlink.policy/1"\n[port."mlx5_[0-1]/1"]\nport-rate = 400\n')
    readings = [Reading("port-rate", Part("port", "mlx5_0/1"), 400.0, Ref("t", 1, ""), "a")]
    assert told(reviewed(a_state(readings), policy)) == [("port-rate", "absent", "400")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", 'it does not begin with schema = "slowlink.policy/1"'),
        ("a = [", "it is not valid TOML"),
        ('schema = "slowlink.policy/1"', "it expects nothing"),
        ('schema = "slowlink.policy/1"\n[gpus]\ncount = 8', "there is no kind of part 'gpus'; did you mean gpu?"),
        ('schema = "slowlink.policy/1"\n[gpu]\ngpu-mik = false', "there is no such attribute; did you mean gpu-mig?"),
        ('schema = "slowlink.policy/1"\n[gpu."0"]\ngpu-mik = 1', "did you mean gpu-mig?"),
        ('schema = "slowlink.policy/1"\n[gpu]\ncount = {at_leats = 8}', "a bound is"),
        ('schema = "slowlink.policy/1"\n[gpu]\ncount = []', "a value is"),
        (f'schema = "slowlink.policy/1"\n[gpu]\ncount = 1{"0" * 400}', "a value is"),
        (f'schema = "slowlink.policy/1"\n[gpu]\ncount = {{at_least = 1{"0" * 400}}}', "a bound is"),
        ('schema = "slowlink.policy/1"\n[node]\nkernel-release = {at_least = "x"}', "a bound is"),
        ('schema = "slowlink.policy/1"\n[node]\nnuma-balancing = {at_least = true}', "a bound is"),
        ('schema = "slowlink.policy/1"\n[port."m[1-99_999_999]"]\nport-rate = 400', "cannot read the node set"),
        ('schema = "slowlink.policy/1"\ngpu = 8', "gpu is no table"),
        ('schema = "slowlink.policy/1"\n[gpu."[0-"]\ngpu-mig = false', "cannot read the node set"),
        ('schema = "slowlink.policy/1"\n[gpu."[0-99999999]"]\ngpu-mig = false', "no policy"),
        ('schema = "slowlink.policy/1"\ncollectors = ["rm"]\n[gpu]\ncount = 8', "collectors"),
    ],
)
def test_a_word_misspelt_is_no_check_that_never_runs(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SlowlinkError) as refused:
        written(tmp_path, text)
    assert refused.value.slug == "policy-invalid"
    assert said in refused.value.message


def a_state(readings: list[Reading]) -> State:
    by_attribute: dict[str, list[Reading]] = {}
    for reading in readings:
        by_attribute.setdefault(reading.attribute, []).append(reading)
    nodes = tuple(dict.fromkeys(str(reading.host) for reading in readings))
    asked = tuple(Collected("hostname", "ran", "", Ref("t", 1, ""), node) for node in nodes)
    return State({name: Readings(tuple(each)) for name, each in by_attribute.items()}, nodes, frozenset(), asked)


_VALUES = st.one_of(
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(-1e12, 1e12),
    st.text(st.characters(blacklist_categories=["Cs"]), max_size=20),
)
_NAMES = st.one_of(st.integers(0, 9).map(str), st.text(st.characters(blacklist_categories=["Cs"]), max_size=12))
_KINDS = ("node", "gpu", "port", "interface", "pci", "module")


_READINGS = st.dictionaries(
    st.tuples(st.sampled_from(sorted(all_attributes())), st.sampled_from(_KINDS), _NAMES), _VALUES, min_size=1
)


@given(_READINGS)
@example({("acs-redirect", "node", "0"): False, ("acs-redirect", "interface", "swap-rate"): False})
def test_whatever_a_node_is_it_meets_its_own_policy(
    folder: Path, found: dict[tuple[str, str, str], bool | int | float | str]
) -> None:
    parts = {("driver-version", "node", ""): "550.54.15", **found}
    readings = [
        Reading(name, Part(kind, part), value, Ref("t", 1, ""), "a") for (name, kind, part), value in parts.items()
    ]
    state = a_state(readings)
    review = reviewed(state, written(folder, policy_text(state, "a", "now")))
    assert told(review) == []
    assert review is not None
    assert review.unknown == ()


def test_what_a_terminal_would_obey_is_written_out(folder: Path) -> None:
    value = 'a\x1b[31m\u202e\x7f"b\\c'
    state = a_state([Reading("kernel-release", Part("node"), value, Ref("t", 1, ""), "a\nb")])
    text = policy_text(state, "a\nb", "now")
    assert text.replace("\n", "").isprintable()
    assert (
        text.splitlines()[0]
        == f'# What nodes like "a\\U0000000ab" must be, written by slowlink {__version__} from its state of now.'
    )
    assert [each.any_of for each in written(folder, text).expected] == [(value,)]
    assert '"\ufffd"' in policy_text(
        a_state([Reading("kernel-release", Part("node"), "\udc80", Ref("t", 1, ""), "a")]), "a", "now"
    )


@pytest.mark.parametrize(
    ("outcome", "detail", "told_of"),
    [
        ("ran", "", 1),
        ("skipped", "no nvidia-smi here", 1),
        ("skipped", "no time was left", 0),
        ("timeout", "", 0),
        ("failed", "", 0),
    ],
)
def test_of_a_node_that_did_not_answer_nobody_says_what_is_not_there(
    tmp_path: Path, outcome: str, detail: str, told_of: int
) -> None:
    """A check that ran out of time must not empty a cluster."""
    head = 'schema = "slowlink.policy/1"\n'
    texts = (
        f"{head}[port]\ncount = 2\n",
        f'{head}collectors = ["ibstat"]\n[port]\ncount = 2\n',
        f'{head}[port."mlx5_[0-1]/1"]\nport-rate = 400\n',
    )
    readings = [Reading("port-rate", Part("port", "mlx5_0/1"), 400.0, Ref("t", 1, ""), "a")]
    state = a_state(readings)
    asked = (*state.collected, Collected("ibstat", outcome, detail, Ref("t", 2, ""), "a"))
    for text in texts:
        review = reviewed(replace(state, collected=asked), written(tmp_path, text))
        assert review is not None
        assert (len(review.deviations), len(review.unknown)) == (told_of, 1 - told_of)


def test_an_answer_without_what_the_policy_asks_accuses_nobody(tmp_path: Path) -> None:
    policy = written(tmp_path, 'schema = "slowlink.policy/1"\ncollectors = ["nvidia-smi-q"]\n[gpu]\ncount = 8\n')
    review = reviewed(a_state([Reading("kernel-release", Part("node"), "5", Ref("t", 1, ""), "a")]), policy)
    assert review is not None
    assert (review.deviations, len(review.unknown)) == ((), 1)
