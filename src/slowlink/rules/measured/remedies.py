"""Steps that the remedies of several rules about measurements share."""

from __future__ import annotations

from slowlink.rules.evidence.findings import Step

TEST_PAIRS_AGAIN = Step("Test these pairs again, to tell a path from a moment.")
