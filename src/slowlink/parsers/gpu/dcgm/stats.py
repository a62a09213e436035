"""Statistics of a job: ``dcgmi stats -j JOB -v`` and ``dcgmi stats -p PID -v``, a box for each GPU::

    | GPU ID: 0                                                                    |
    +====================================+=========================================+
    +-----  Event Stats  ----------------+-----------------------------------------+
    | Double Bit ECC Errors              | 0                                       |
    +-----  Slowdown Stats  -------------+-----------------------------------------+
    |        - Thermal (%)               | 41.2                                    |

Without ``-v`` there is one box, ``Summary``, of all its GPUs. The limit of power slows every GPU at full load: that is
no fault, and it is not read. Xids are counted here and not named, and programs at fault cause some, too: they are a
warning. What was well in one job proves no sound device: only what went wrong gives a reading.

Source: DCGM 1.7 to 4.6, ``dcgmi/ProcessStats.cpp``.
"""

from __future__ import annotations

from collections.abc import Iterator

from slowlink.model.state import Part, Reading
from slowlink.parsers.forms.make_reading import number, reading, whole
from slowlink.parsers.gpu.dcgm.tree import Tree

OF_STATS = (
    *("Execution Stats", "Performance Stats", "Event Stats", "Slowdown Stats", "Process Utilization"),
    *("Compute Process Utilization", "Graphics Process Utilization", "Overall Health"),
)
"""Sections of such a box."""
_HEALTH = {"Warning": "warn", "Failure": "fail"}
_ALL = "of the job"


def stats_readings(tree: Tree) -> Iterator[Reading]:
    """What went wrong while the job ran."""
    whose = tree.header[0] if tree.header else ""
    gpu = Part("gpu", whose.removeprefix("GPU ID: ") if whose.startswith("GPU ID: ") else _ALL)
    for row in tree.sections:
        share, count = number(row.value), whole(row.value)
        if row.label == "- Thermal (%)" and share is not None and 0 <= share <= 100:
            yield reading("gpu-slowed-by-heat", gpu, share, row.line)
        elif row.label == "Double Bit ECC Errors" and count:
            yield reading("gpu-ecc-volatile-uncorrectable", gpu, count, row.line)
        elif (row.label.endswith("Health") and row.value in _HEALTH) or (row.label == "Critical XID Errors" and count):
            part = Part("test", f"dcgm-stats/{row.label} {whose.replace(' ID:', '')}".strip())
            yield reading("health-test", part, _HEALTH.get(row.value, "warn"), row.line)
