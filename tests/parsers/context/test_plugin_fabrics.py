"""Networks that need a plug-in, as tools, settings, paths and words name them."""

from __future__ import annotations

import pytest
from feeding import feed
from hypothesis import given
from hypothesis import strategies as st

from slowlink.parsers.context.plugin_fabrics import FACTS, PluginFabrics


@pytest.mark.parametrize(("fact", "sample"), [(fact, sample) for fact in FACTS for sample in fact.samples])
def test_each_sample_names_its_fabric(fact: object, sample: str) -> None:
    assert (fact.subject, fact.value) in [(o.subject, o.value) for o in feed(PluginFabrics, [sample])]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text",
    [
        "provider: verbs",
        "two g5.12xlarge instances",
        "FI_PROVIDER=tcp",
        "NCCL_NET_PLUGIN=none",
        "/usr/local/gib/lib64",
        "a2-highgpu-8g",
        "/opt/amazon/openmpi/bin/mpirun",
        "family of AMIs",
    ],
)
def test_what_names_no_such_fabric(text: str) -> None:
    assert feed(PluginFabrics, [text]) == []


@given(st.lists(st.text(alphabet="provider: efa FI_EFA_=1/opt/amazon/p5.48xlarge", max_size=60)))
def test_any_text_gives_a_result(lines: list[str]) -> None:
    assert {o.subject for o in feed(PluginFabrics, lines)} <= {"efa", "slingshot", "tcpx"}
