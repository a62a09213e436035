from __future__ import annotations

from typing import get_args

import pytest

from slowlink.catalog.causes import all_causes, cause
from slowlink.model.report import Layer


def test_every_layer_has_causes() -> None:
    assert {entry.layer for entry in all_causes().values()} == set(get_args(Layer))


def test_symptoms_are_marked_so_that_they_never_lead_over_a_cause() -> None:
    symptoms = {entry.id for entry in all_causes().values() if entry.is_symptom}
    assert symptoms == {
        "busbw-below-expected",
        "bandwidth-unstable",
        "bandwidth-bimodal",
        "average-hides-variation",
        "nodes-unanswered",
        "tool-failed",
        "trouble-told",
        "node-differs",
        "size-too-small",
        "latency-high",
        "link-bandwidth-low",
        "hardware-unknown",
        "job-unasked",
        "pace-drops",
        "sources-differ",
        "policy-not-met",
        "policy-unchecked",
        "error-unexplained",
    }


def test_ids_are_kebab_case_and_texts_are_there() -> None:
    for name, entry in all_causes().items():
        assert name == name.lower()
        assert name.replace("-", "").isalnum()
        assert entry.title
        assert entry.proof
        assert entry.meaning.endswith(".")


def test_unknown_cause_is_a_defect_that_shows() -> None:
    with pytest.raises(KeyError):
        cause("gremlins")
