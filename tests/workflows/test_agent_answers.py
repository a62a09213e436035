"""What assistants get, without the protocol: what may be read, and what an answer holds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from heaps import job, numbered_comm
from slowlink.errors import SlowlinkError
from slowlink.model.agents import Analysis, AnalyzeAsked
from slowlink.report.schema import answer_schema, question_schema
from slowlink.workflows.agents.beneath import Beneath
from slowlink.workflows.agents.outgoing import cut, outgoing
from slowlink.workflows.agents.pages import MOST_BYTES, page
from slowlink.workflows.agents.replies import reply
from slowlink.workflows.agents.reports import Readable
from slowlink.workflows.agents.tools import TOOLS

STATE = {
    "schema": "slowlink.report/1", "slowlink": "0", "verdict": "healthy", "headline": "healthy: h",
    "facts": {
        "nodes_asked": "node[01-04]",
        "node_state": {
            "cpu-governor": [
                {"value": "performance", "parts": [""], "nodes": "node[01-02]"},
                {"value": "powersave", "parts": [""], "nodes": "node03"},
            ],
            "no-such-attribute": [{"value": 1, "parts": [""], "nodes": "node01"}],
        },
    },
}  # fmt: skip


def asked(tool: str, root: Path, **arguments: object) -> dict[str, object]:
    found = json.loads(reply(TOOLS[tool], arguments, Readable(Beneath([str(root)]), {})))
    return dict(found["answer"] or {"error": found["error"]})


def test_the_state_of_nodes_folded_and_narrowed(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps(STATE))
    whole = asked("node_state", tmp_path, path="r.json")
    assert (whole["nodes"], whole["silent"], whole["total"]) == ("node[01-03]", "node04", 2)
    of_one = asked("node_state", tmp_path, path="r.json", node="node03", match="GOVERNOR")
    assert [(row["value"], row["nodes"]) for row in of_one["state"]] == [("powersave", "node03")]  # type: ignore[attr-defined]
    assert asked("node_state", tmp_path, path="r.json", match="gpu")["state"] == []
    assert "nothing is known of the state of node09" in str(asked("node_state", tmp_path, path="r.json", node="node09"))


SMI = "$ nvidia-smi --query-gpu=index,name --format=csv,noheader\n0, NVIDIA H100 80GB HBM3\n"


def test_the_state_of_a_heap_is_told_once(tmp_path: Path) -> None:
    """By the names that the logs of its jobs tell."""
    texts = {"a/run.log": job("login7", "login8"), "b/run.log": numbered_comm(job("beta1", "beta2"), 5)}
    for name, text in {**texts, "login7/smi.txt": SMI, "login8/smi.txt": SMI}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for whole in (asked("node_state", tmp_path, path="."), asked("node_state", tmp_path, path=".", node="login8")):
        assert [(row["attribute"], row["nodes"]) for row in whole["state"]] == [("gpu-name", "login[7-8]")]  # type: ignore[attr-defined]


def test_the_state_that_only_jobs_of_a_saved_report_have_is_told(tmp_path: Path) -> None:
    jobs = [
        {"label": "a", "kind": "job", "hosts": [], "sources": [], "verdict": "healthy", "headline": "h", "causes": [],
         "facts": STATE["facts"]}
    ]  # fmt: skip
    (tmp_path / "r.json").write_text(json.dumps({**STATE, "facts": {}, "jobs": jobs}))
    assert asked("node_state", tmp_path, path="r.json")["total"] == 2


TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"
CUT_AT = (299, 1_199, 1_999)
"""The longest texts of an answer end there; a secret that begins before is cut."""


def of_a_token(before: int) -> dict[str, object]:
    """A saved report that has it in every kind of text, each of ``before`` characters in front of it."""
    text = "x" * (before - 1) + f" {TOKEN} and more"
    claim = {
        "cause": "gpu-missing", "title": text, "message": text, "layer": "host", "severity": "error",
        "confidence": "certain", "suspects": [{"kind": "node", "name": text}],
        "evidence": [{"source": "a.log", "line": 1, "text": text, "observed": text, "expected": text}],
    }  # fmt: skip
    state = {"cpu-governor": [{"value": text, "parts": [text], "nodes": "gpu01"}]}
    said = [{"value": text, "nodes": text, "count": 1}]
    return {
        "schema": "slowlink.report/1", "slowlink": "0", "verdict": "degraded", "headline": text, "diagnoses": [claim],
        "facts": {"node_state": state}, "differences": [
            {"attribute": "a", "title": text, "parts": "", "unit": "", "matters": 1, "said": said}
        ],
    }  # fmt: skip


@pytest.mark.parametrize("most", CUT_AT)
@pytest.mark.parametrize("kept", [5, 12, 20, 39])
def test_no_secret_of_a_saved_report_gets_out(tmp_path: Path, most: int, kept: int) -> None:
    (tmp_path / "r.json").write_text(json.dumps(of_a_token(most - kept)))
    answers = [asked("analyze", tmp_path, path="r.json", show=show) for show in ("summary", "causes", "evidence")]
    answers.append(asked("node_state", tmp_path, path="r.json"))
    answers.append(asked("compare", tmp_path, old="r.json", new="r.json"))
    for answer in answers:
        assert "error" not in answer
        assert TOKEN[:5] not in json.dumps(answer)


def test_a_secret_of_a_saved_report_is_gone_before_anything_is_read(tmp_path: Path) -> None:
    """Also one that only its name tells."""
    facts = {"environment": {"DB_PASSWORD": ["horse"], "NCCL_DEBUG": ["INFO"]}, "login": f"a {TOKEN}"}
    (tmp_path / "r.json").write_text(json.dumps({**STATE, "facts": facts}))
    report = Readable(Beneath([str(tmp_path)]), {}).report_at("r.json")
    assert report.facts == {
        "environment": {"DB_PASSWORD": ["<redacted:password>"], "NCCL_DEBUG": ["INFO"]},
        "login": "a <redacted:key>",
    }


def test_what_is_cut_has_no_half_of_a_secret() -> None:
    """Of names of files, too, which nothing else redacts before."""
    assert "ghp" not in cut(f"{'x' * 20} {TOKEN} and more", 40)
    assert cut("x" * 45, 40) == "x" * 40 + " ... (5 more characters)"


def test_a_defect_is_told_by_its_place_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("a line of a log")

    monkeypatch.setattr("slowlink.workflows.agents.analyzing.build_view", broken)
    told = str(asked("analyze", tmp_path, text="x")["error"])
    assert told.startswith("a defect of slowlink (ValueError in ")
    assert "a line of a log" not in told


def test_several_roots_and_paths_below_them(tmp_path: Path) -> None:
    for name in ("a", "b", "ab"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.log").write_text(name)
    roots = Beneath([str(tmp_path / "a"), str(tmp_path / "b")])
    for path, content in (("x.log", "a"), (str(tmp_path / "b" / "x.log"), "b"), ("../b/x.log", "b")):
        with roots.opened(path) as place:
            assert os.read(place.descriptor, 9).decode() == content
    with pytest.raises(SlowlinkError) as outside, roots.opened("../ab/x.log"):
        pass
    assert outside.value.slug == "path-outside"


def test_a_name_that_becomes_a_link_in_between_leads_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root, root / "sub", outside):
        folder.mkdir()
        (folder / "x.log").write_text("x")
    roots = Beneath([str(root)])
    honest = os.path.realpath

    def then_swapped(path: str) -> str:
        found = honest(path)
        (root / "sub").rename(root / "gone")
        (root / "sub").symlink_to(outside)
        return found

    monkeypatch.setattr("slowlink.workflows.agents.beneath.os.path.realpath", then_swapped)
    with pytest.raises(SlowlinkError) as refused, roots.opened("sub/x.log"):
        pass
    assert refused.value.slug == "input-not-found"


def test_descriptors_are_given_back(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x.log").write_text("x")
    os.mkfifo(tmp_path / "sub" / "pipe")
    before = len(list(Path("/dev/fd").iterdir()))
    for path in ("sub", "sub/x.log", "sub/pipe", "sub/none", ".", "..", "sub/x.log/y"):
        asked("analyze", tmp_path, path=path)
    assert len(list(Path("/dev/fd").iterdir())) == before


@pytest.mark.parametrize("count", [0, 1, 7, 500])
def test_pages_together_hold_every_row_once(count: int) -> None:
    rows = [f"{number} {'x' * (number % 97) * 11}" for number in range(count)]
    seen: list[str] = []
    at: int | None = 0
    while at is not None:
        taken, at = page(rows, at)
        assert sum(map(len, taken)) <= MOST_BYTES
        seen += taken
    assert seen == rows


def test_one_row_that_is_too_long_is_a_page() -> None:
    assert page(["x" * 2 * MOST_BYTES, "y"], 0) == (("x" * 2 * MOST_BYTES,), 1)


def test_what_goes_out_is_redacted_escaped_finite_and_bounded() -> None:
    headline = "password: Tr0ub4dor&3x9 \x1b[2J\u202e"
    plain = outgoing(Analysis(verdict="healthy", headline=headline, rows=("y" * 50_000,), total=1))
    assert "Tr0ub4dor" not in plain["headline"]
    assert r"\u202e" in plain["headline"] or "redacted" in plain["headline"]
    assert len(plain["rows"][0]) < 20_000
    assert plain["rows"][0].endswith("(34,000 more characters)")


def test_schemas_are_those_of_the_records() -> None:
    question = question_schema(AnalyzeAsked)
    assert question["properties"]["show"]["enum"] == ["causes", "evidence", "inputs", "measured", "rules", "summary"]
    assert question["required"] == []
    answer = answer_schema(Analysis)
    assert answer["type"] == "object"
    assert set(answer["required"]) == set(Analysis.__struct_fields__)
