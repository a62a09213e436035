"""Exit codes of every command. They are a contract: pipelines gate on them."""

HEALTHY = 0
"""Measured, and nothing at or above ``--fail-on`` was found."""

FINDINGS = 1
"""At least one diagnosis at or above ``--fail-on``."""

USAGE = 2
"""The command line or the configuration is wrong; nothing was measured."""

INCONCLUSIVE = 3
"""Nothing recognised, or what was recognised allows no conclusion. Unknown is not healthy."""

DEFECT = 70
"""slowlink itself failed (EX_SOFTWARE). Never a statement about the cluster."""
