"""Names of the parts of a step, as loops print them without a unit."""

from __future__ import annotations

from slowlink.patterns import regex

_PART = regex(
    r"(?:fw|fwd|forward|bw|bwd|backward|fb|f_?b|fwd[_-]?bwd|forward[_-](?:backward|compute)|backward[_-]compute|compute"
    r"|comp|calc|opt|optim(?:izer)?(?:[_-]step)?|kernels?|gemm|attn|attention|mlp|dl|data(?:[_-]?load(?:er|ing)?)?"
    r"|load(?:ing)?|h2d|step|iter|total|comm|allreduce|all[_-]reduce|wait|sync|barrier)(?:[_-]?(?:time|t))?\Z"
)


def is_part(name: str) -> bool:
    """Is ``name`` (in lower case) a part of a step?"""
    return _PART.match(name) is not None
