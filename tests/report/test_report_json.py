from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace
from sample_reports import SAMPLES, degraded, healthy, hostile

from slowlink.errors import SlowlinkError
from slowlink.report import render
from slowlink.report.json import SCHEMA, report_from_json, report_to_dict
from slowlink.report.schema import schema, schema_text

# What reports have had from the first version on; more keys may follow, none may go or change places.
REPORT = "schema slowlink verdict headline diagnoses findings outcomes sweeps expectations inputs"
DIAGNOSIS = "cause title layer severity confidence suspects evidence explains remedy references"
SWEEP = "collective nranks nnodes datatype redop engine source line points average_busbw_gbs peak_busbw_gbs complete"
POINT = "size_bytes count placement time_us algbw_gbs busbw_gbs wrong iterations_us"
INPUT = "path kinds bytes lines used ignored unread unread_samples"
EXPECTATION = "quantity subject value low high unit basis"
EVIDENCE = "source line text observed expected"


def decoded(name: str) -> dict[str, Any]:
    value = json.loads(render(SAMPLES[name](), "json"))
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize("name", SAMPLES)
def test_every_report_fits_the_schema(name: str) -> None:
    jsonschema.Draft202012Validator(schema()).validate(decoded(name))


def test_the_schema_refuses_what_is_no_report() -> None:
    validator = jsonschema.Draft202012Validator(schema())
    jsonschema.Draft202012Validator.check_schema(schema())
    changes: tuple[dict[str, Any], ...] = (
        {"verdict": "fine"},
        {"headline": 1},
        {"sweeps": [{}]},
        {"schema": "slowlink.report/2"},
    )
    for change in changes:
        assert list(validator.iter_errors({**decoded("degraded"), **change}))
    short = decoded("degraded")
    del short["inputs"]
    assert list(validator.iter_errors(short))


def test_the_published_schema_is_up_to_date() -> None:
    published = Path(__file__).parents[2] / "docs" / "report.schema.json"
    assert json.loads(published.read_text(encoding="utf-8")) == schema(), (
        "write it again: slowlink report --schema > docs/report.schema.json"
    )
    assert json.loads(schema_text()) == schema()


def test_names_and_order_are_the_contract() -> None:
    value = decoded("degraded")
    diagnosis, sweep = value["diagnoses"][0], value["sweeps"][0]
    for keys, item in (
        (REPORT, value),
        (DIAGNOSIS + " message rules", diagnosis),
        (DIAGNOSIS + " rule message", value["findings"][0]),
        (EVIDENCE, diagnosis["evidence"][0]),
        ("kind name", diagnosis["suspects"][0]),
        ("text command", diagnosis["remedy"][0]),
        ("rule outcome reason", value["outcomes"][0]),
        (SWEEP, sweep),
        (POINT, sweep["points"][0]),
        (EXPECTATION, value["expectations"][0]),
        (INPUT, value["inputs"][0]),
    ):
        assert list(item)[: len(keys.split())] == keys.split()


@pytest.mark.parametrize("name", sorted(set(SAMPLES) - {"hostile"}))
def test_reading_gives_the_report_again(name: str) -> None:
    assert report_from_json(decoded(name)) == SAMPLES[name]()


def test_a_report_of_the_time_before_diagnoses_named_their_rules_can_be_read() -> None:
    older = decoded("bimodal")
    del older["diagnoses"][0]["rules"]
    read = report_from_json(older)
    assert read.diagnoses == (replace(SAMPLES["bimodal"]().diagnoses[0], rules=()),)
    assert "[bandwidth-bimodal]  warning, certain" in render(read, "terminal", color=False, width=100)


def test_numbers_that_are_not_finite_are_null() -> None:
    text = render(hostile(), "json")
    value = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    odd = value["sweeps"][0]["points"][-1]
    assert (odd["time_us"], odd["algbw_gbs"], odd["busbw_gbs"]) == (None, None, None)
    again = report_from_json(value)
    assert all(math.isfinite(item.value) for item in again.expectations)
    assert len(again.expectations) == len(hostile().expectations) - 1


def test_json_is_ascii_and_has_no_lone_surrogate() -> None:
    text = render(hostile(), "json")
    assert text.isascii()
    assert "\\udc80" not in text


def test_unknown_keys_are_ignored() -> None:
    value = decoded("degraded")
    value["weather"] = "fine"
    value["sweeps"][0]["points"][0]["colour"] = "red"
    assert report_from_json(value) == degraded()


NOBODYS = {"attribute": "gpu-count", "title": "GPUs", "parts": "", "unit": "", "matters": 3}


@pytest.mark.parametrize(
    ("change", "slug", "words"),
    [
        ({"schema": "slowlink.report/2"}, "report-too-new", "newer"),
        ({"schema": "other/1"}, "report-unknown", "no slowlink report"),
        ({"schema": None}, "report-unknown", "no slowlink report"),
        ({"verdict": "fine"}, "report-invalid", "verdict"),
        ({"sweeps": [{"source": 1}]}, "report-invalid", "sweeps[0]"),
        ({"expectations": 3}, "report-invalid", "expectations"),
        ({"differences": [{**NOBODYS, "said": []}]}, "report-invalid", "differences[0].said"),
        ({"verdict": "\ud800"}, "report-invalid", "surrogates"),
    ],
)
def test_what_is_no_report_is_an_error_with_words(change: dict[str, Any], slug: str, words: str) -> None:
    with pytest.raises(SlowlinkError) as caught:
        report_from_json({**report_to_dict(healthy()), **change})
    assert caught.value.slug == slug
    assert words in caught.value.message


def test_a_json_list_is_no_report() -> None:
    with pytest.raises(SlowlinkError) as caught:
        report_from_json([])  # type: ignore[arg-type]
    assert caught.value.slug == "report-unknown"


def test_the_samples_carry_the_schema_of_this_version() -> None:
    assert {sample().schema for sample in SAMPLES.values()} == {SCHEMA}
