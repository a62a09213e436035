"""The record and its seal: whatever is changed in it shows; and the table and the page that show it."""

from __future__ import annotations

import copy
import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from accept.records import node, record
from slowlink.errors import SlowlinkError
from slowlink.model.acceptance import Acceptance, Cell, EvidenceFile
from slowlink.report.acceptance.page import page_text
from slowlink.report.acceptance.record import record_from, record_text, seal_of, what_differs
from slowlink.report.acceptance.schema import schema_text
from slowlink.report.acceptance.table import COLUMNS, table_text
from slowlink.report.escape import for_spreadsheets, from_spreadsheets

RECORD = record()
Path_ = tuple[str | int, ...]


def leaves(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    items: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not items and not isinstance(value, (dict, list)):
        yield path
    for key, item in items:
        yield from leaves(item, (*path, key))


LEAVES = [path for path in leaves(json.loads(record_text(RECORD))) if path != ("seal",)]


def changed(path: Path_) -> bytes:
    """The record with another value there, written as slowlink writes."""
    plain_record = json.loads(record_text(RECORD))
    place = plain_record
    for key in path[:-1]:
        place = place[key]
    old = place[path[-1]]
    others: dict[type, object] = {str: f"{old}x", int: 77, bool: not old, type(None): 1}
    place[path[-1]] = others[type(old)]
    return (json.dumps(plain_record, indent=1) + "\n").encode()


def test_a_record_goes_there_and_back_and_is_unchanged() -> None:
    data = record_text(RECORD).encode()
    assert record_from(data) == RECORD
    assert what_differs(RECORD, data) == ""
    assert seal_of(replace(RECORD, seal="anything")) == RECORD.seal


@pytest.mark.parametrize("path", LEAVES, ids=str)
def test_any_value_that_is_changed_shows(path: Path_) -> None:
    data = changed(path)
    refused = ""
    found: Acceptance | None
    try:
        found = record_from(data)
    except SlowlinkError as error:
        found, refused = None, error.slug
    assert found is not None or refused in ("acceptance-invalid", "acceptance-unknown", "acceptance-newer")
    assert found is None or seal_of(found) != RECORD.seal
    assert found is None or "its content has the seal" in what_differs(found, data)


def test_what_is_only_written_otherwise_shows_too() -> None:
    """A key that comes twice says one thing to people and another to programs."""
    data = record_text(RECORD).encode()
    compact = json.dumps(json.loads(data)).encode()
    twice = data.replace(b'"result": "accepted"', b'"result": "refused",\n "result": "accepted"')
    for other in (compact, twice, data + b" "):
        found = record_from(other)
        assert found == RECORD
        assert (
            what_differs(found, other) == "its content is that of its seal, and the file is not as slowlink writes it"
        )


@pytest.mark.parametrize(
    ("data", "slug"),
    [
        (b"", "acceptance-unknown"),
        (b'{"schema": "slowlink.report/1"}', "acceptance-unknown"),
        (b'{\n "schema": "slowlink.acceptance/2"}', "acceptance-newer"),
        (b'{\n "schema": "slowlink.acceptance/1"}', "acceptance-invalid"),
        (b'{\n "schema": "slowlink.acceptance/1",' + b"[" * 100_000, "acceptance-invalid"),
        (record_text(RECORD).encode().replace(b'"beside"', b'"more": 1, "beside"'), "acceptance-invalid"),
        (record_text(RECORD).encode()[:-200], "acceptance-invalid"),
        (b"\xff\xfe" * 300, "acceptance-unknown"),
    ],
)
def test_what_is_no_record_is_refused(data: bytes, slug: str) -> None:
    with pytest.raises(SlowlinkError) as caught:
        record_from(data)
    assert caught.value.slug == slug


def test_the_published_schema_is_up_to_date_and_a_record_fits_it() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    published = Path(__file__).parents[2] / "docs" / "acceptance.schema.json"
    assert published.read_text() == schema_text(), (
        "write it again: slowlink accept --schema > docs/acceptance.schema.json"
    )
    validator = jsonschema.Draft202012Validator(json.loads(schema_text()))
    plain_record = json.loads(record_text(RECORD))
    assert list(validator.iter_errors(plain_record)) == []
    assert list(validator.iter_errors({**copy.deepcopy(plain_record), "result": "fine"}))


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20)
STARTS = st.sampled_from(("", "=", "+", "-", "@", "\t", "\r", "\n", "'", "'=", "''", '"', ",", ";=", '";"=', "\t@"))


@given(st.builds(lambda start, rest: start + rest, STARTS, TEXTS))
def test_a_cell_of_the_table_is_no_formula_and_comes_back(text: str) -> None:
    assert not for_spreadsheets(text).startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert from_spreadsheets(for_spreadsheets(text)) == text


@given(st.builds("".join, st.lists(st.sampled_from(("a", ";", "\t", '"', " ", "=", "-", "'", "+1")), max_size=12)))
def test_no_cell_is_a_formula_where_lists_are_written_with_semicolons(text: str) -> None:
    cells = re.split("[;\t]", for_spreadsheets(text))
    assert [cell for cell in cells if cell.lstrip(' "').startswith(("=", "+", "-", "@"))] == []
    assert from_spreadsheets(for_spreadsheets(text)) == text


@given(TEXTS, STARTS)
def test_the_table_has_every_cell(text: str, start: str) -> None:
    odd = Cell("state", "open", start + text, text, 0, (), start + text, (start + text.replace(" ", ""),), text)
    made = record(replace(node("gpu01", "pass", "pass"), cells=(odd,)))
    rows = list(csv.DictReader(io.StringIO(table_text(made), newline="")))
    assert rows == list(csv.DictReader(io.StringIO(table_text(made), newline=""), fieldnames=COLUMNS))[1:]
    cells = [row for row in rows if row["level"] != "record"]
    assert [(row["node"], row["hca"], row["check"]) for row in cells] == [
        (name, hca, cell.check) for name, hca, cell in made.rows()
    ]
    row = next(row for row in cells if row["check"] == "state")
    told = {
        name: from_spreadsheets(row[name])
        for name in ("measured", "unit", "why", "evidence", "expected", "state", "required")
    }
    assert told == {
        "measured": start + text,
        "unit": text,
        "why": start + text,
        "evidence": start + text.replace(" ", ""),
        "expected": "at least 400 Gb/s",
        "state": "OPEN",
        "required": "yes",
    }
    assert [row["measured"] for row in rows if row["check"] == "seal"] == [made.seal]


HOSTILE = "<script>alert(1)</script><img src=x onerror=1>\"'&{{ 7*7 }}"


def hostile() -> Acceptance:
    odd = Cell("state", "fail", HOSTILE, HOSTILE, 0, (HOSTILE,), HOSTILE, (HOSTILE,), HOSTILE)
    one = replace(node(HOSTILE, "fail", "fail"), cells=(odd,))
    return record(one, headline=HOSTILE, beside=HOSTILE, evidence=(EvidenceFile(HOSTILE, 1, "ab" * 32),))


def test_the_page_escapes_everything_loads_nothing_and_runs_nothing() -> None:
    page = page_text(hostile())
    assert re.findall(r"<(?:script|img|iframe|object|link)\b", page) == []
    assert "&lt;script&gt;" in page
    assert "49" not in page.partition("<body>")[2]
    assert re.findall(r'<[a-z]+ [^>]*(?:src|href)=(?!"#)', page) == []
    assert "default-src 'none'" in page


def test_the_page_prints() -> None:
    """Each node begins a page, and every table says again what its columns are."""
    page = page_text(RECORD)
    assert page.count("<table") == page.count("<thead>")
    assert "thead { display: table-header-group; }" in page
    assert ".node { break-before: page; }" in page
    assert page.count('<section class="node"') == len(RECORD.nodes)
    assert RECORD.seal in page
