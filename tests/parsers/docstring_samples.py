"""The samples of input that parsers show in their docstrings."""

from __future__ import annotations

from textwrap import dedent


def sample_in(docstring: str) -> str:
    """The indented block below the first line that ends with ``::``; "" where there is none."""
    _, _, rest = docstring.partition("::\n")
    block = []
    for line in rest.lstrip("\n").split("\n"):
        if line.strip() and not line.startswith("    "):
            break
        block.append(line)
    return dedent("\n".join(block)).strip("\n") + "\n" if "".join(block).strip() else ""
