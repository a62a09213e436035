"""Files that ranks write beside what they print (NCCL's log, JSON, iterations, topology), and how they get into the
bundle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from slowlink.workflows.rank_files.here import FilesHere
from slowlink.workflows.rank_files.in_output import FilesInOutput
from slowlink.workflows.rank_files.interface import RankFiles
from slowlink.workflows.rank_files.on_nodes import FilesOnNodes

if TYPE_CHECKING:
    from slowlink.workflows.plan_run import Prepared

__all__ = ["RankFiles", "files_of"]


def files_of(prepared: Prepared, programs: Mapping[str, str]) -> RankFiles | None:
    """Of a run as it was planned; None where ranks write nothing. ``programs``: of the surroundings."""
    directory = prepared.output_directory
    if directory is None:
        return None
    if prepared.job.around is not None:
        return FilesInOutput(prepared.job.around.mark, prepared.outputs)
    if not prepared.on_nodes:
        return FilesHere(directory, prepared.outputs)
    from slowlink.launch.fanout.ways import way_of

    by_name = {node.name: node for node in prepared.allocation.nodes}
    nodes = [by_name[name] for name in prepared.plan.nodes]
    return FilesOnNodes(nodes, way_of(prepared.plan.launcher, programs), str(directory), prepared.outputs)
