"""From what is asked to a plan: which program, where, how many ranks. Looks at this machine, starts nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from slowlink.benchmarks.find import benchmarks, find
from slowlink.benchmarks.interface import Benchmark, Program, RankCommand, Request
from slowlink.benchmarks.perf_programs import require_mpi
from slowlink.errors import SlowlinkError
from slowlink.launch.alone.plan import each_node_plan
from slowlink.launch.choose import choose
from slowlink.launch.interface import LaunchOptions, Surroundings
from slowlink.model.plan import Allocation, Plan, RankJob
from slowlink.workflows.pair import Ends, pair_command
from slowlink.workflows.rank_files.in_output import scripts_around

OUTPUT = "{output}"
TOPOLOGY_FILE = "nccl-topology.xml"
"""Rank 0 writes what it sees of its node's buses and links."""
RANK_GRACE_S = 30.0
"""How much longer than the run a rank on another host may live, if nobody can tell it to end."""
_CPU_RANKS = 4
_LARGEST, _LARGEST_ON_CPU = 8 << 30, 128 << 20
"""Bytes, where nobody says: on many GPUs 90 % of the plateau are reached at 1 to 2 GiB (``slowlink expect``), and the
plateau is judged from a quarter of the largest size up. Three buffers of 8 GiB fit into the GPUs of such systems."""
_DEBUG = {"DEBUG": "INFO", "DEBUG_SUBSYS": "INIT,ENV,NET,GRAPH"}
_SHARED = frozenset(
    {
        *("nfs", "nfs4", "lustre", "gpfs", "beegfs", "cephfs", "ceph", "fuse.ceph", "wekafs", "afs", "glusterfs"),
        *("fuse.glusterfs", "pvfs2", "orangefs", "panfs", "virtiofs", "9p", "cifs", "smb3", "fuse.sshfs"),
    }
)
"""File systems that several nodes see, by their names in /proc/self/mounts."""


class Asked(Struct, frozen=True):
    """What the user wants to know, and what they say about the way there."""

    request: Request
    benchmark: str = "auto"
    path: str | None = None
    on: str | None = None
    allocation: Allocation | None = None
    """Nodes that were named; None: those of the surroundings."""
    nranks: int | None = None
    ranks_per_node: int | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    options: LaunchOptions = field(default_factory=LaunchOptions)
    ends: Ends = field(default_factory=Ends)
    """Of a perftest pair."""
    each_node: bool = False
    """Every node measures by itself, all of them side by side."""
    only_gpu: tuple[int, int] | None = None
    """(number, of so many): one rank of each node, on this of the node's GPUs."""


class Prepared(Struct, frozen=True):
    """Everything decided, with the reasons; ``plan`` may hold ``{output}`` where ranks write files."""

    request: Request
    benchmark: str
    program: Program
    job: RankJob
    plan: Plan
    allocation: Allocation
    reasons: tuple[str, ...]
    outputs: tuple[str, ...]
    """Files that rank 0 writes, in the output directory."""
    output_directory: Path | None
    """Where ranks write; None: nowhere."""
    on_nodes: bool = False
    """That directory is each node's own, and we do not see it."""
    each_node: bool = False
    """``plan`` is what every node runs by itself; its nodes are all that do."""

    @property
    def nranks(self) -> int:
        """Ranks of the collective: as many as GPUs where each process drives several (``-g 8``)."""
        gpus = self.job.gpus_per_node
        return self.job.nranks if gpus is None else self.job.nranks * gpus // self.job.ranks_per_node


def plan_run(asked: Asked, here: Surroundings, output_directory: Path, *, on_nodes: bool = True) -> Prepared:
    """Decide everything. ``output_directory``: where ranks may write if they can reach it; else a directory of each
    node, unless ``on_nodes`` forbids it. Raises SlowlinkError."""
    choice = choose(here, asked=asked.on, nodes_given=asked.allocation is not None)
    launcher = choice.launcher
    benchmark, program, why = _program(asked, launcher.name)
    request = asked.request
    if benchmark.name == "probe" and request.backend is None:
        request = replace(request, backend="nccl" if gpus_here() and has_torch() else "mpi")
    if request.backend in ("gloo", "nccl") and launcher.name == "local" and not has_torch():
        raise SlowlinkError(
            f"--backend {request.backend} needs torch, which this Python does not have",
            hint="pip install torch; or --backend mpi",
            slug="no-torch",
        )
    if not request.max_bytes:
        on_cpu = benchmark.name == "probe" and request.backend != "nccl"
        largest = _LARGEST_ON_CPU if on_cpu else _LARGEST
        request = replace(request, max_bytes=max(largest, request.min_bytes))
    allocation = asked.allocation or launcher.allocation(here)
    if allocation is None:
        raise SlowlinkError(
            f"which nodes? {launcher.name} knows none by itself",
            hint="--nodes node[01-04] or --hostfile FILE",
            slug="no-nodes",
        )
    if benchmark.name == "perftest":
        command = pair_command(asked.ends, request, program, allocation, launcher.name)
        asked = replace(asked, nranks=2, ranks_per_node=2 if launcher.name == "local" else 1)
    else:
        command = benchmark.command(request, program)
    in_pods = launcher.name == "kubernetes"
    seen = launcher.name == "local" or (not in_pods and is_shared(output_directory))
    apart = not seen and on_nodes and _can_fetch(launcher.name, allocation, asked, here)
    printed = not (seen or apart) and on_nodes and _is_printed(launcher.name, asked, here)
    own = Path(f"/tmp/slowlink-{here.run_id}")  # noqa: S108
    reachable = output_directory if seen else own if apart or printed else None
    if benchmark.name == "nvbandwidth" and asked.ranks_per_node is None:
        asked = replace(asked, ranks_per_node=1)  # one process drives all GPUs of its node
    if asked.each_node:
        command = replace(command, argv=_with_output(command.argv, None), outputs=())
        one = replace(allocation, nodes=allocation.nodes[:1])
        job = _job(asked, command, program, one, reachable, here, remote=True)
        plan = each_node_plan(job, allocation, here, asked.options, launcher.name)
    else:
        job = _job(asked, command, program, allocation, reachable, here, remote=launcher.name == "ssh")
        job = _printing(job, own, _outputs(command, asked)) if printed else job
        plan = launcher.plan(job, allocation, here, asked.options)
    return Prepared(
        request=request,
        benchmark=benchmark.name,
        program=program,
        job=job,
        plan=plan,
        allocation=allocation,
        reasons=(f"launcher: {launcher.name} ({choice.reason})", f"nodes: {allocation.basis}", why),
        outputs=_outputs(command, asked) if reachable else (),
        output_directory=reachable,
        on_nodes=apart,
        each_node=asked.each_node,
    )


def _printing(job: RankJob, directory: Path, outputs: tuple[str, ...]) -> RankJob:
    """Ranks write into ``directory`` of their own node, and the job prints these files when they have ended."""
    nodes = -(-job.nranks // max(job.ranks_per_node, 1))
    return replace(job, around=scripts_around(directory, outputs, nodes, os.urandom(8).hex()))


def _outputs(command: RankCommand, asked: Asked) -> tuple[str, ...]:
    """What rank 0 writes; where every node has a rank 0, nobody does."""
    if asked.each_node:
        return ()
    return (*command.outputs, *((TOPOLOGY_FILE,) if command.gpus_per_rank else ()))


def _can_fetch(launcher: str, allocation: Allocation, asked: Asked, here: Surroundings) -> bool:
    """Can each node's files be asked for afterwards? Not where the scheduler is still to choose the nodes, or gives
    them back at the end."""
    if launcher == "slurm":
        return "SLURM_JOB_ID" in here.environment and not asked.options.batch and bool(allocation.nodes)
    return launcher == "ssh"


def _is_printed(launcher: str, asked: Asked, here: Surroundings) -> bool:
    """Can the job print each node's files behind its own output?"""
    if asked.each_node:
        return False
    if launcher == "slurm":
        return "SLURM_JOB_ID" not in here.environment or asked.options.batch
    return launcher == "kubernetes"


def _program(asked: Asked, launcher: str) -> tuple[Benchmark, Program, str]:
    """The benchmark that was named, or the one that fits; with the reason."""
    known = benchmarks()
    collective = asked.request.collective
    if asked.benchmark != "auto":
        benchmark = known[asked.benchmark]
        _require(benchmark, collective)
        return benchmark, _found(benchmark, asked, launcher), f"benchmark: {benchmark.name} (asked for)"
    if collective in known["perftest"].collectives:
        return known["perftest"], _found(known["perftest"], asked, launcher), f"benchmark: perftest ({collective})"
    if asked.path is not None:
        benchmark = known[_kind_of(Path(asked.path).name)]
        if benchmark.name == "perftest":
            _require(benchmark, collective)
        return benchmark, _found(benchmark, asked, launcher), f"benchmark: {benchmark.name} (--path)"
    if asked.request.backend is None and (launcher != "local" or gpus_here()):
        for name in ("nccl-tests", "rccl-tests", "mccl"):
            try:
                program = _found(known[name], asked, launcher)
            except (SlowlinkError, KeyError):
                continue
            if program.with_mpi is not False:
                return known[name], program, f"benchmark: {name} ({program.path})"
    reason = "no GPU here: MPI on CPU memory" if not gpus_here() else "no nccl-tests with MPI found"
    probe = known["probe"]
    _require(probe, collective)
    return probe, _found(probe, asked, launcher), f"benchmark: probe ({reason})"


def _require(benchmark: Benchmark, collective: str) -> None:
    if collective not in benchmark.collectives:
        raise SlowlinkError(
            f"{benchmark.name} has no {collective}",
            hint=f"it has {', '.join(benchmark.collectives)}",
            slug="no-such-collective",
        )


def _found(benchmark: Benchmark, asked: Asked, launcher: str) -> Program:
    if launcher == "kubernetes":
        # The program is in the image; nothing here can tell what it is.
        name = "python3" if benchmark.name == "probe" else benchmark.candidates(asked.request.collective)[0]
        return Program(asked.path or name, None, None)
    return find(benchmark, asked.request.collective, path=asked.path)


def _kind_of(name: str) -> str:
    if name.startswith("ib_"):
        return "perftest"
    if "nvbandwidth" in name:
        return "nvbandwidth"
    return "probe" if name.startswith("python") else "nccl-tests"


def _job(
    asked: Asked,
    command: RankCommand,
    program: Program,
    allocation: Allocation,
    output: Path | None,
    here: Surroundings,
    *,
    remote: bool,
) -> RankJob:
    per_node, nranks = _ranks(asked, command, allocation, here)
    argv = _with_output(command.argv, output)
    env = dict(asked.env)
    own = f"{command.variables}_"
    if command.gpus_per_rank and output is not None and f"{own}DEBUG" not in env:
        env.update({own + name: value for name, value in _DEBUG.items() if own + name not in env})
    if command.gpus_per_rank and output is not None:
        env.setdefault(f"{own}TOPO_DUMP_FILE", f"{output}/{TOPOLOGY_FILE}")
    if output is not None and env.get(f"{own}DEBUG"):
        env.setdefault(f"{own}DEBUG_FILE", f"{output}/nccl-debug/%h.%p.log")
    if nranks > 1 and command.gpus_per_rank > 1:
        require_mpi(program)
    if asked.only_gpu is not None:
        # In the rank's own command: a scheduler would overwrite the variable, for it hands out all GPUs of the node.
        argv = ("env", f"CUDA_VISIBLE_DEVICES={asked.only_gpu[0]}", *argv)
    limit = asked.options.timeout_s
    if remote and limit is not None and shutil.which("timeout"):
        # Behind a cut link nobody can end a rank: it must know its own time.
        argv = ("timeout", "--kill-after=5", f"{limit + RANK_GRACE_S:g}", *argv)
    return RankJob(
        argv=argv,
        nranks=nranks,
        ranks_per_node=per_node,
        env=env,
        gpus_per_node=_gpus_of_node(asked, command, per_node),
        timeout_s=limit,
    )


def _gpus_of_node(asked: Asked, command: RankCommand, per_node: int) -> int | None:
    if not command.gpus_per_rank:
        return None
    return asked.only_gpu[1] if asked.only_gpu is not None else command.gpus_per_rank * per_node


def _ranks(asked: Asked, command: RankCommand, allocation: Allocation, here: Surroundings) -> tuple[int, int]:
    """(ranks on each node, ranks in all)."""
    count = len(allocation.nodes)
    slots = [node.slots for node in allocation.nodes if node.slots is not None]
    if asked.ranks_per_node is not None:
        per_node = asked.ranks_per_node
    elif asked.nranks is not None:
        per_node = -(-asked.nranks // max(count, 1))
    elif slots:
        per_node = min(slots)
    elif command.gpus_per_rank:
        per_node = gpus_here() // command.gpus_per_rank
        if per_node == 0:
            raise SlowlinkError(
                "how many GPUs has a node? There is none on this machine to tell",
                hint="--ranks-per-node 8; or --benchmark probe, which needs no GPU",
                slug="no-gpu",
            )
    else:
        per_node = max(2, min(here.cpus, _CPU_RANKS)) if count <= 1 else 1
    return per_node, asked.nranks or per_node * max(count, 1)


def _with_output(argv: tuple[str, ...], output: Path | None) -> tuple[str, ...]:
    """Fill in where ranks write; without such a place the option is left away with its value."""
    if output is not None:
        return tuple(word.replace(OUTPUT, str(output)) for word in argv)
    words: list[str] = []
    for word in argv:
        if OUTPUT not in word:
            words.append(word)
        elif words and words[-1].startswith("-") and not word.startswith("-"):
            words.pop()
    return tuple(words)


def is_shared(path: Path, mounts: str | None = None) -> bool:
    """Does ``path`` lie on a file system that other nodes see too? Known kinds only; in doubt no."""
    if mounts is None:
        try:
            mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return False
    place = os.path.realpath(path)
    best, kind = "", ""
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        at = fields[1]
        if (at == "/" or place == at or place.startswith(at + "/")) and len(at) >= len(best):
            best, kind = at, fields[2]
    return kind in _SHARED


def gpus_here() -> int:
    """GPUs of this machine, as their drivers show them: NVIDIA, AMD, MetaX."""
    for pattern, places in (
        ("*", Path("/proc/driver/nvidia/gpus")),
        ("nvidia[0-9]*", Path("/dev")),
        ("renderD*/device/mem_info_vram_total", Path("/sys/class/drm")),
        ("mxcd/card*", Path("/dev")),
    ):
        try:
            found = len(list(places.glob(pattern)))
        except OSError:
            continue
        if found:
            return found
    return 0


def has_torch() -> bool:
    """Is torch installed for this Python? It is not loaded for this."""
    return find_spec("torch") is not None
