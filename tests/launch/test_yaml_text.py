"""What we write is what a YAML reader reads: checked with a real one where it is installed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowlink.launch.yaml_text import to_yaml

yaml: Any = pytest.importorskip("yaml", reason="PyYAML is not installed")

TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=30),
    st.text("ab :#-'\"\n\t|>%@`!&*{}[]", max_size=20),
    st.sampled_from(
        ["yes", "No", "null", "~", "1.0", "0x1f", "1e3", "012", "-", "---", "...", "a: b", "", " a", "a\n", "a\nb\n"]
    ),
)
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(-(10**9), 10**9), st.booleans(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner.filter(lambda item: not isinstance(item, list)), max_size=4),
        st.dictionaries(TEXTS, inner, max_size=4),
    ),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=4), min_size=1, max_size=3))
def test_round_trip(documents: list[dict[str, Any]]) -> None:
    assert list(yaml.safe_load_all(to_yaml(documents))) == documents


def test_scripts_stay_readable() -> None:
    assert (
        to_yaml([{"data": {"start.sh": "#!/bin/sh\nexec true\n"}}])
        == "data:\n  start.sh: |\n    #!/bin/sh\n    exec true\n"
    )
