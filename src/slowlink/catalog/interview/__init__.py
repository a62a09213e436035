"""The maintainers' interview, from ``interview.toml``: experiments, and what each cause says of their outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from msgspec import Struct

from slowlink.catalog.causes import all_causes
from slowlink.catalog.load import CatalogueError, table

LOSS, HANG = "loss", "hang"
OUTCOMES = {LOSS: ("better", "same", "worse"), HANG: ("finishes", "hangs")}
OF_EACH_HCA = ("uneven", "even")
"""Outcomes of an experiment that is done with each HCA."""


class Question(Struct, frozen=True):
    """One experiment of the catalogue."""

    id: str
    title: str
    env: Mapping[str, str]
    fresh: bool
    """Without the settings of the user."""
    alone: bool
    """One rank per node."""
    layers: tuple[str, ...]
    predictions: Mapping[str, Mapping[str, str]]
    """Symptom -> cause -> outcome."""

    @property
    def of_each_hca(self) -> bool:
        return any("{hca}" in value for value in self.env.values())

    def outcomes(self, symptom: str) -> tuple[str, ...]:
        """All that may come."""
        return OF_EACH_HCA if self.of_each_hca and symptom == LOSS else OUTCOMES[symptom]


@cache
def questions() -> Mapping[str, Question]:
    """All experiments by id, in the order of the file. Raises CatalogueError."""
    return {name: _question(name, entry) for name, entry in table("interview/interview.toml")["experiments"].items()}


@cache
def candidates(symptom: str, layer: str) -> tuple[str, ...]:
    """Causes that may be at work where a layer shows this symptom and those below it are sound. Raises
    CatalogueError for a cause that there is not."""
    names: Mapping[str, list[str]] = table("interview/interview.toml")["candidates"][symptom]
    return tuple(_known(name) for name in names.get(layer, ()))


def _known(cause: str) -> str:
    if cause not in all_causes():
        raise CatalogueError(f"interview.toml: there is no cause {cause}")
    return cause


def _question(name: str, entry: Mapping[str, object]) -> Question:
    env, layers = entry.get("env", {}), entry["layers"]
    assert isinstance(env, dict)
    assert isinstance(layers, list)
    made = Question(
        name, str(entry["title"]), env, bool(entry.get("fresh")), bool(entry.get("alone")), tuple(layers), {}
    )
    predictions: dict[str, dict[str, str]] = {}
    for symptom in (LOSS, HANG):
        predicted = entry.get(symptom, {})
        assert isinstance(predicted, dict)
        if unknown := predicted.keys() - {*made.outcomes(symptom)}:
            raise CatalogueError(f"interview.toml: {name}: no outcome of a {symptom}: {', '.join(sorted(unknown))}")
        predictions[symptom] = {_known(cause): outcome for outcome, causes in predicted.items() for cause in causes}
    return Question(name, made.title, env, made.fresh, made.alone, made.layers, predictions)
