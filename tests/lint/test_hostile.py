"""Manifests of strangers: nothing is constructed, expanded or obeyed, and any text ends with an answer or an error."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lint_manifests import BENCH, MPI, RIGHT, found, report

from slowlink.errors import SlowlinkError
from slowlink.report import render

BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
POD = "kind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "just words",
        "kind: ConfigMap\ndata: {}",
        "{{ .Values.job }}",
        "a: [",
        "kind: Job\x00",
        "[" * 100_000,
        "- " * 5_000 + "x",
        "a: &a {b: *a}",
        "\ud800",
    ],
)
def test_what_holds_no_job_is_an_error_of_the_user(text: str) -> None:
    with pytest.raises(SlowlinkError) as caught:
        report(text)
    assert caught.value.slug in ("not-yaml", "nothing-to-lint")


def test_aliases_are_not_expanded() -> None:
    assert found(POD + BOMB) == []
    merged = "".join(f"m{n}: &m{n} {{<<: *m{n - 1}, k{n}: 1}}\n" for n in range(1, 300))
    assert found(f"{POD}m0: &m0 {{k: 1}}\n{merged}") == []


def test_tags_make_nothing() -> None:
    text = POD.replace("{name: p}", '{name: !!python/object/apply:os.system ["exit 3"]}')
    assert found(text) == []


def test_control_characters_are_shown_and_not_obeyed() -> None:
    text = BENCH.replace("name: bench", '"name": "be\\e[2Jnch\\u202e"').replace("mlx5_1", "mlx5_1\\e]0;x")
    for form in ("terminal", "full", "json", "markdown", "html"):
        shown = render(report(text), form, color=False)
        assert "\x1b" not in shown
        assert "\u202e" not in shown


HOSTILE = (
    "8\nsecurityContext:\n  privileged: true",
    'odd": 1\nhostPID: true\n#',
    "svc}\nhostNetwork: true",
    "[a]",
    "{a: b}",
    "&a b",
    '" #',
)
NAMED = """\
apiVersion: v1
kind: Service
metadata: {{name: s}}
---
apiVersion: batch/v1
kind: Job
metadata: {{name: {value}}}
spec:
  completions: 2
  parallelism: 2
  completionMode: Indexed
  template:
    metadata: {{labels: {{{value}: {value}}}}}
    spec:
      subdomain: {value}
      containers:
      - name: a
        image: x
        command: [torchrun, --nnodes, "2", --nproc_per_node, "8", t.py]
        resources:
          requests: {{"nvidia.com/gpu": {value}, {value}: 1, "example.com/x": 1.5}}
"""


@pytest.mark.parametrize("value", HOSTILE)
def test_no_fix_says_what_a_manifest_says(value: str) -> None:
    named = NAMED.format(value=json.dumps(value))
    for text in (named, named.replace("  completionMode: Indexed\n", ""), named.replace("subdomain", "other")):
        fixes = [step.snippet for each in found(text) for step in each.remedy]
        assert fixes
        parts = [part for part in value.split("\n") if len(part) > 4]
        assert [fix for fix in fixes if any(part in fix for part in parts) or value in fix] == []


LINES = sorted({line for text in (BENCH, RIGHT, MPI) for line in text.splitlines()})


@given(st.lists(st.sampled_from([*LINES, "---", "kind: List", "items:", "- <<: *a", "x: &a {y: [1]}"]), max_size=60))
def test_any_lines_give_an_answer_or_an_error(lines: list[str]) -> None:
    try:
        made = report("\n".join(lines))
    except SlowlinkError:
        return
    assert [each for each in made.outcomes if each.outcome == "broken"] == []
    assert made.verdict != "healthy"


@given(st.sampled_from([BENCH, RIGHT, MPI]), st.data())
def test_any_value_may_be_anything(text: str, data: st.DataObject) -> None:
    lines = text.splitlines()
    number = data.draw(st.integers(0, len(lines) - 1))
    key, colon, _ = lines[number].partition(":")
    lines[number] = (
        key
        + colon
        + data.draw(st.sampled_from([" [1, {a: b}]", " {}", " null", " -1", " 1e9", " '", " 99999999999", " [[]]"]))
    )
    try:
        made = report("\n".join(lines))
    except SlowlinkError:
        return
    assert [each for each in made.outcomes if each.outcome == "broken"] == []
