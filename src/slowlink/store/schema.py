"""The tables. docs/history.md says what they mean; ``migrations/`` makes them, and a test holds the two together."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

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
    return Column(name, Text, nullable=False)


def _digest(name: str, *, unique: bool = False) -> Column[str]:
    return Column(name, String(64), nullable=False, unique=unique)


def _of(name: str, target: str, *, key: bool = False) -> Column[int]:
    """A row that goes with the row that it belongs to."""
    return Column(name, Integer, ForeignKey(target, ondelete="CASCADE"), nullable=False, primary_key=key)


def _number() -> Column[int]:
    return Column("number", Integer, primary_key=True, autoincrement=False)


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
    _text("system"), _text("gpu"), _text("nodes"), Column("nnodes", BigInteger), Column("nranks", BigInteger),
    _text("collective"), _text("datatype"), _text("redop"), _text("engine"),
    Column("largest_bytes", BigInteger, nullable=False),
)  # fmt: skip
runs = Table(
    "runs", metadata, _id(), _digest("content", unique=True),
    Column("at", Double, nullable=False), _text("at_basis"), Column("stored_at", Double, nullable=False),
    _text("command"), _text("argv"), _text("job"), _text("bundle"),
    _text("verdict"), _text("headline"), _text("slowlink"),
    _text("system"), _text("gpu"), _text("nodes"), Column("nnodes", BigInteger),
    _text("collectives"), Column("peak_busbw_gbs", Double),
    Column("environment_id", Integer, ForeignKey("environments.id"), nullable=False),
    Index(None, "at"),
)  # fmt: skip
sweeps = Table(
    "sweeps", metadata, _id(), _of("run_id", "runs.id"), _of("series_id", "series.id"),
    Column("at", Double, nullable=False), _text("engine"), _text("library"),
    Column("complete", Boolean, nullable=False),
    Column("plateau_busbw_gbs", Double), Column("latency_us", Double),
    Column("expected_low_gbs", Double), Column("expected_high_gbs", Double), _text("basis"),
    Index(None, "run_id"),
    # Everything that a plot of a series needs, so that it reads no other page.
    Index("ix_sweeps_series", "series_id", "at", "run_id", "plateau_busbw_gbs", "latency_us", "complete"),
)  # fmt: skip
points = Table(
    "points", metadata, _of("sweep_id", "sweeps.id", key=True), _number(),
    Column("size_bytes", BigInteger, nullable=False), _text("placement"),
    Column("time_us", Double), Column("algbw_gbs", Double), Column("busbw_gbs", Double),
    Column("doubtful", Boolean, nullable=False),
)  # fmt: skip
findings = Table(
    "findings", metadata, _of("run_id", "runs.id", key=True), _number(),
    _text("cause"), _text("title"), _text("severity"), _text("confidence"), _text("suspects"), _text("message"),
    Index(None, "cause"),
)  # fmt: skip
reports = Table(
    "reports", metadata, _of("run_id", "runs.id", key=True), Column("document", LargeBinary, nullable=False),
)  # fmt: skip
baselines = Table(
    "baselines", metadata, _id(),
    _text("name"), Column("version", Integer, nullable=False), Column("created_at", Double, nullable=False),
    Column("pinned", Boolean, nullable=False), _text("note"),
    UniqueConstraint("name", "version"),
)  # fmt: skip
baseline_runs = Table(
    "baseline_runs", metadata,
    _of("baseline_id", "baselines.id", key=True), _of("run_id", "runs.id", key=True),
)  # fmt: skip
