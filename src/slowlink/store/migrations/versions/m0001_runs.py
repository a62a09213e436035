"""Runs, what they measured, found and ran in."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _text(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _of(name: str, target: str) -> list[sa.schema.SchemaItem]:
    """A column that names a row, and goes with it."""
    return [
        sa.Column(name, sa.Integer, nullable=False),
        sa.ForeignKeyConstraint([name], [target], ondelete="CASCADE"),
    ]


def _key(*names: str) -> sa.PrimaryKeyConstraint:
    return sa.PrimaryKeyConstraint(*names)


def _content() -> list[sa.schema.SchemaItem]:
    """Number of a row, and the digest that it is there once for."""
    return [
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("content", sa.String(64), nullable=False),
        sa.UniqueConstraint("content"),
    ]


def upgrade() -> None:
    """Make the tables of an empty store."""
    op.create_table("environments", *_content(), sa.Column("fingerprint", sa.String(64), nullable=False))
    op.create_table(
        "environment_facts",
        *_of("environment_id", "environments.id"),
        sa.Column("number", sa.Integer, nullable=False),
        *_text("attribute", "part", "nodes", "value"),
        _key("environment_id", "number"),
    )
    op.create_table(
        "series",
        *_content(),
        *_text("system", "gpu", "nodes"),
        sa.Column("nnodes", sa.BigInteger),
        sa.Column("nranks", sa.BigInteger),
        *_text("collective", "datatype", "redop", "engine"),
        sa.Column("largest_bytes", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "runs",
        *_content(),
        sa.Column("at", sa.Double, nullable=False),
        *_text("at_basis"),
        sa.Column("stored_at", sa.Double, nullable=False),
        *_text("command", "argv", "job", "bundle", "verdict", "headline", "slowlink", "system", "gpu", "nodes"),
        sa.Column("nnodes", sa.BigInteger),
        *_text("collectives"),
        sa.Column("peak_busbw_gbs", sa.Double),
        sa.Column("environment_id", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(["environment_id"], ["environments.id"]),
    )
    op.create_index(None, "runs", ["at"])
    _create_what_belongs_to_runs()


def _create_what_belongs_to_runs() -> None:
    op.create_table(
        "sweeps",
        sa.Column("id", sa.Integer, primary_key=True),
        *_of("run_id", "runs.id"),
        *_of("series_id", "series.id"),
        sa.Column("at", sa.Double, nullable=False),
        *_text("engine", "library"),
        sa.Column("complete", sa.Boolean, nullable=False),
        sa.Column("plateau_busbw_gbs", sa.Double),
        sa.Column("latency_us", sa.Double),
        sa.Column("expected_low_gbs", sa.Double),
        sa.Column("expected_high_gbs", sa.Double),
        *_text("basis"),
    )
    op.create_index(None, "sweeps", ["run_id"])
    wanted = ["series_id", "at", "run_id", "plateau_busbw_gbs", "latency_us", "complete"]
    op.create_index("ix_sweeps_series", "sweeps", wanted)
    op.create_table(
        "points",
        *_of("sweep_id", "sweeps.id"),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
        *_text("placement"),
        sa.Column("time_us", sa.Double),
        sa.Column("algbw_gbs", sa.Double),
        sa.Column("busbw_gbs", sa.Double),
        sa.Column("doubtful", sa.Boolean, nullable=False),
        _key("sweep_id", "number"),
    )
    op.create_table(
        "findings",
        *_of("run_id", "runs.id"),
        sa.Column("number", sa.Integer, nullable=False),
        *_text("cause", "title", "severity", "confidence", "suspects", "message"),
        _key("run_id", "number"),
    )
    op.create_index(None, "findings", ["cause"])
    op.create_table(
        "reports",
        *_of("run_id", "runs.id"),
        sa.Column("document", sa.LargeBinary, nullable=False),
        _key("run_id"),
    )
