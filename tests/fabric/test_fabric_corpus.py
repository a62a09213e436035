"""Outputs of a simulated fabric in the corpus: their names say what was done to it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import slowlink

CORPUS = Path(os.environ.get("SLOWLINK_CORPUS") or Path(__file__).resolve().parents[3] / "shared" / "corpus")
SAMPLES = sorted((CORPUS / "ibsim").glob("*.txt")) if CORPUS.is_dir() else []
pytestmark = [pytest.mark.corpus, pytest.mark.skipif(not SAMPLES, reason="no corpus here")]
TOOLS = ("iblinkinfo", "ibnetdiscover", "ibqueryerrors", "perfquery", "saquery", "smpquery", "ibportstate", "ibhosts")


def of(mark: str, *tools: str) -> list[Path]:
    return [path for path in SAMPLES if mark in path.name and path.name.startswith(tools or TOOLS)]


def causes(path: Path) -> dict[str, str]:
    return {diagnosis.cause: diagnosis.severity for diagnosis in slowlink.analyze(path).diagnoses}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_line_of_a_tool_is_known(path: Path) -> None:
    (found,) = slowlink.analyze(path).inputs
    assert found.unread == 0 or not path.name.startswith(TOOLS)


@pytest.mark.parametrize("path", of("healthy"), ids=lambda path: path.name)
def test_a_healthy_fabric_is_clean(path: Path) -> None:
    assert causes(path) == {}


@pytest.mark.parametrize("path", of("degraded", "iblinkinfo"), ids=lambda path: path.name)
def test_degraded_links(path: Path) -> None:
    found = slowlink.analyze(path)
    names = {suspect.name for diagnosis in found.diagnoses for suspect in diagnosis.suspects}
    assert causes(path) == {"port-rate-low": "error"}
    assert {"node09/1", "leaf2/2", "leaf1/7", "spine1/3", "node09"} == names


@pytest.mark.parametrize("path", of("unlinked", "iblinkinfo.", "ibnetdiscover."), ids=lambda path: path.name)
def test_links_that_were_taken_away(path: Path) -> None:
    names = {suspect.name for diagnosis in slowlink.analyze(path).diagnoses for suspect in diagnosis.suspects}
    assert (causes(path), names) == ({"port-down": "error"}, {"leaf2/5", "leaf1/4"})


@pytest.mark.parametrize("path", of("errors", "ibqueryerrors.e", "perfquery.e"), ids=lambda path: path.name)
def test_errors_of_one_reading_are_a_warning(path: Path) -> None:
    """What was lost at some time is noted beside it: lost links, and packets."""
    found = causes(path)
    assert found.pop("link-errors") == "warning"
    assert found.keys() <= {"link-flapping", "fabric-congestion"}
    assert {*found.values()} <= {"info", "warning"}


@pytest.mark.parametrize("path", of("lossy"), ids=lambda path: path.name)
def test_ports_that_did_not_answer_are_no_proof(path: Path) -> None:
    report = slowlink.analyze(path)
    assert (report.verdict, report.facts["fabric_query_failures"]) == ("inconclusive", 2)
