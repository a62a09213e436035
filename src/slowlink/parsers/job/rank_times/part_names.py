"""Names of the parts of a step, as loops print them without a unit."""

from __future__ import annotations

from slowlink.patterns import regex

STEPS = frozenset({"step", "iter", "iteration", "global_step", "batch"})
"""What a number of a step is named, too."""
_NAMES = (
    r"fw|fwd|forward|bw|bwd|backward|fb|f_?b|fwd[_-]?bwd|forward[_-](?:backward|compute)|backward[_-]compute|compute"
    r"|comp|calc|opt|optim(?:izer)?(?:[_-]step)?|kernels?|gemm|attn|attention|mlp|dl|data(?:[_-]?load(?:er|ing)?)?"
    r"|load(?:ing)?|h2d|total|comm|allreduce|all[_-]reduce|wait|sync|barrier"
)
_PART = regex(rf"(?:{_NAMES}|step|iter)(?:[_-]?(?:time|t))?\Z")
NO_STEP = rf"(?:{_NAMES})(?:[_-]?(?:time|t))?|(?:step|iter)[_-]?(?:time|t)"
"""Those that are no number of a step."""


def is_part(name: str) -> bool:
    """Is ``name`` (in lower case) a part of a step?"""
    return _PART.match(name) is not None
