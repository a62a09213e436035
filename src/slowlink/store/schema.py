"""The tables. docs/history.md says what they mean; ``migrations/`` makes them, and a test holds the two together."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, MetaData, Table, UniqueConstraint

from slowlink.store.checked import Count, Digest, Document, Flag, Measure, Moment, Number, Words

HEAD = "0002"
"""The newest migration: a store that says so needs none."""
metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True)


def _text(name: str) -> Column[str]:
    return Column(name, Words(name), nullable=False)


def _digest(name: str, *, unique: bool = False) -> Column[str]:
    return Column(name, Digest(name, length=64), nullable=False, unique=unique)


def _of(name: str, target: str, *, key: bool = False) -> Column[int]:
    """A row that goes with the row that it belongs to."""
    link = ForeignKey(target, ondelete="CASCADE")
    return Column(name, Number(name), link, nullable=False, primary_key=key)


def _number() -> Column[int]:
    return Column("number", Number("number"), primary_key=True, autoincrement=False)


def _measure(name: str) -> Column[float]:
    return Column(name, Measure(name, may_be_unknown=True))


def _moment(name: str) -> Column[float]:
    return Column(name, Moment(name), nullable=False)


def _flag(name: str) -> Column[bool]:
    return Column(name, Flag(name), nullable=False)


def _count(name: str, *, may_be_unknown: bool = False) -> Column[int]:
    return Column(name, Count(name, may_be_unknown=may_be_unknown), nullable=may_be_unknown)


environments = Table(
    "environments", metadata, _id(), _digest("content", unique=True), _digest("fingerprint"),
)  # fmt: skip
environment_facts = Table(
    "environment_facts", metadata,
    _of("environment_id", "environments.id", key=True), _number(),
    _text("attribute"), _text("part"), _text("nodes"), _text("value"),
)  # fmt: skip
series = Table(
    "series", metadata, _id(), _digest("content", unique=True),
    _text("system"), _text("gpu"), _text("nodes"),
    _count("nnodes", may_be_unknown=True), _count("nranks", may_be_unknown=True),
    _text("collective"), _text("datatype"), _text("redop"), _text("engine"),
    _count("largest_bytes"),
)  # fmt: skip
runs = Table(
    "runs", metadata, _id(), _digest("content", unique=True),
    _moment("at"), _text("at_basis"), _moment("stored_at"),
    _text("command"), _text("argv"), _text("job"), _text("bundle"),
    _text("verdict"), _text("headline"), _text("slowlink"),
    _text("system"), _text("gpu"), _text("nodes"), _count("nnodes", may_be_unknown=True),
    _text("collectives"), _measure("peak_busbw_gbs"),
    Column("environment_id", Number("environment_id"), ForeignKey("environments.id"), nullable=False),
    Index(None, "at"),
)  # fmt: skip
sweeps = Table(
    "sweeps", metadata, _id(), _of("run_id", "runs.id"), _of("series_id", "series.id"),
    _moment("at"), _text("engine"), _text("library"),
    _flag("complete"),
    _measure("plateau_busbw_gbs"), _measure("latency_us"),
    _measure("expected_low_gbs"), _measure("expected_high_gbs"), _text("basis"),
    Index(None, "run_id"),
    # Everything that a plot of a series needs, so that it reads no other page.
    Index("ix_sweeps_series", "series_id", "at", "run_id", "plateau_busbw_gbs", "latency_us", "complete"),
)  # fmt: skip
points = Table(
    "points", metadata, _of("sweep_id", "sweeps.id", key=True), _number(),
    _count("size_bytes"), _text("placement"),
    _measure("time_us"), _measure("algbw_gbs"), _measure("busbw_gbs"),
    _flag("doubtful"),
)  # fmt: skip
findings = Table(
    "findings", metadata, _of("run_id", "runs.id", key=True), _number(),
    _text("cause"), _text("title"), _text("severity"), _text("confidence"), _text("suspects"), _text("message"),
    Index(None, "cause"),
)  # fmt: skip
reports = Table(
    "reports", metadata, _of("run_id", "runs.id", key=True), Column("document", Document("document"), nullable=False),
)  # fmt: skip
baselines = Table(
    "baselines", metadata, _id(),
    _text("name"), Column("version", Number("version"), nullable=False), _moment("created_at"),
    _flag("pinned"), _text("note"),
    UniqueConstraint("name", "version"),
)  # fmt: skip
baseline_runs = Table(
    "baseline_runs", metadata,
    _of("baseline_id", "baselines.id", key=True), _of("run_id", "runs.id", key=True),
)  # fmt: skip
