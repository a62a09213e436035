"""The fields of nvidia-smi's outputs by the names that each output gives them.

They stand in ``catalog/programs/nvidia_smi.toml``, one entry an attribute: what one output says under a name of its own
is read alike in all.
"""

from __future__ import annotations

from slowlink.catalog.load import table
from slowlink.parsers.gpu.nvidia_smi import values
from slowlink.parsers.gpu.nvidia_smi.values import Field


def named(output: str) -> dict[str, Field]:
    """Name -> field of ``output``: ``query``, ``query_log``, ``xml``, ``xml_log`` or ``csv``."""
    entries = table("programs/nvidia_smi.toml").items()
    return {
        name: Field(attribute, getattr(values, entry["is"]))
        for attribute, entry in entries
        for name in entry.get(output, ())
    }
