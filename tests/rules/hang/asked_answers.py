"""Transcripts of nodes that slowlink asked for RAS, and what one rule says of them."""

from __future__ import annotations

import json

from hang_findings import of_texts, said

import ras_answers as ras
from fake_ras import END
from slowlink.rules.engine import Checked

QUIET = ras.VERSION + ras.JOB + ras.FINE + END


def document(counts: list[int], at: int, name: str = "c0ffee") -> str:
    found = ras.document([ras.rank(n, {"AllReduce": each}) for n, each in enumerate(counts)])
    found["timestamp"] = f"2026-01-02 03:04:{at % 60:02d}"
    found["ras"] = {"collection_time_sec": 0.0, "timeouts_count": 0}
    for each in found["communicators"]:  # type: ignore[attr-defined]
        each["hash"] = f"0x{name}"
    return json.dumps(found, indent=2)


def asked(*answers: tuple[int, str], outcome: str = "answered", port: int = 28028) -> str:
    """A node's transcript: (time, answer) of each question."""
    return "\n".join(
        f"slowlink-ras {1_795_000_000 + at} localhost:{port} by python3\n{text}\n\n"
        f"slowlink-ras end localhost:{port} {outcome}"
        for at, text in answers
    )


def of(rule: str, *nodes: str) -> Checked:
    return of_texts(rule, *((f"node{number}.txt", text) for number, text in enumerate(nodes)))


def causes(rule: str, *nodes: str) -> list[tuple[str, str, str]]:
    return [each[:3] for each in said(of(rule, *nodes).findings)]
