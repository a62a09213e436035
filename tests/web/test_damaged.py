"""Whatever a store holds, and whatever is asked: a page, or words that say why there is none."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from zstandard import ZstdCompressor

from slowlink.errors import SlowlinkError
from slowlink.report.json import plain_json
from slowlink.store import schema
from slowlink.workflows.web.pages import PAGES
from slowlink.workflows.web.site import NoSuchPageError, Site
from web.serving import HOSTILE, HOUR_S, found, kept, report

COLUMNS = [(table.name, column.name) for table in schema.metadata.sorted_tables for column in table.columns]
VALUES = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.text(max_size=40),
    st.binary(max_size=40),
    st.sampled_from([float("inf"), 1e308, 5e-324, 2**62, "nan", "g[1-99999999]", "g[", HOSTILE, "A" * 100_000]),
    st.sampled_from([b"[]", b"7", b"{}", b'{"schema": "slowlink.report/1"}', b"[" * 100_000]).map(
        ZstdCompressor().compress
    ),
)
ASKED: tuple[tuple[str, str, dict[str, int]], ...] = (
    ("fleet", "", {}), ("fleet", "rows=each&within=all", {}), ("runs", "", {}), ("runs", "node=gpu02", {}),
    ("run", "", {"run": 1}), ("pairs", "", {"run": 1}), ("history", "", {}), ("history", "measure=latency", {}),
    ("history", "size=8G", {}), ("compare", "a=1&b=3", {}),
)  # fmt: skip


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("store") / "sound.sqlite"
    names = ("gpu01", "gpu02", "gpu03")
    slow = found("port-rate-low", "port-rate-differs", "gpu02")
    pairs = (("gpu01", "gpu02", 390.0), ("gpu02", "gpu03", 190.0), ("gpu03", "gpu01", 388.0))
    runs = [("run", 1.8e9 + number * HOUR_S, report(names, busbw=400.0 - number)) for number in range(10)]
    kept(place, ("isolate", 1.8e9, report(names, verdict="degraded", findings=(slow,), pairs=pairs)), *runs)
    with closing(sqlite3.connect(place)) as raw:
        raw.execute("PRAGMA journal_mode = DELETE")
    return place


def answered(place: Path) -> list[str]:
    """Of each page "a page", or what is said."""
    site, told = Site(str(place)), []
    for name, query, numbers in ASKED:
        try:
            told.append("a page" if site.answer(name, PAGES[name], numbers, query) else "nothing")
        except NoSuchPageError:
            told.append("no such page")
        except SlowlinkError as error:
            told.append(error.message)
    site.close()
    return told


def test_a_sound_store_has_all_pages(sound: Path) -> None:
    assert set(answered(sound)) == {"a page"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.sampled_from(COLUMNS), VALUES, st.booleans())
def test_a_damaged_store_is_a_page_or_a_sentence(
    sound: Path, tmp_path: Path, where: tuple[str, str], value: object, every: bool
) -> None:
    place = tmp_path / "damaged.sqlite"
    shutil.copy(sound, place)
    table, column = where
    with closing(sqlite3.connect(place, isolation_level=None)) as raw:
        raw.execute("PRAGMA foreign_keys = OFF")
        try:
            raw.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE {1 if every else "rowid % 2"}', (value,))
        except (sqlite3.IntegrityError, UnicodeEncodeError):
            return
    assert "nothing" not in answered(place)


JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**40), 2**40), st.floats(), st.just(HOSTILE), st.text(max_size=9)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=9), inner, max_size=3)),
    max_leaves=9,
)
FACTS = ("hosts", "state_nodes", "node_state", "nodes_asked", "proofs", "slow_pairs", "system", "gpu")


@settings(
    max_examples=settings().max_examples // 2,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.dictionaries(st.sampled_from(FACTS), JSON, min_size=1))
def test_a_report_with_any_facts_is_shown(sound: Path, tmp_path: Path, facts: dict[str, object]) -> None:
    place = tmp_path / "odd.sqlite"
    shutil.copy(sound, place)
    whole = json.loads(plain_json(report(findings=(found("port-down", "port-down", HOSTILE),))))
    text = plain_json({**whole, "facts": facts})
    with closing(sqlite3.connect(place, isolation_level=None)) as raw:
        raw.execute("UPDATE reports SET document = ?", (ZstdCompressor().compress(text.encode()),))
    assert set(answered(place)) == {"a page"}
