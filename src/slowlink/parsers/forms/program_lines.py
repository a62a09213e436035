"""How the lines of programs look in front of their messages: who printed it, how bad it is, where the message begins.

The messages themselves stand in ``vocabulary/<family>/<program>.toml``, which NCCL's reader (``nccl_log``) asks, too.
"""

from __future__ import annotations

from slowlink.parsers.forms.literals import Literals
from slowlink.parsers.forms.nvidia_lines import NVIDIA_LINES
from slowlink.parsers.forms.program_form import ProgramLines

_FRAMEWORKS = (
    *("pytorch", "torchrun", "gloo", "deepspeed", "megatron", "resiliency", "ray", "horovod", "xla", "vllm", "sglang"),
    *("nemo", "lightning", "accelerate", "torchtitan"),
)
"""What runs as Python, or under it: their exceptions and their loggers look alike."""
EXCEPTIONS = (*_FRAMEWORKS, "exceptions")
"""Behind them what exceptions of all frameworks have in common; it is asked of nothing that a program survives."""
_NOTICES = (*_FRAMEWORKS, "notices")
"""Behind them what warnings of all frameworks have in common."""

_PCI = (
    r"(?P<pci>[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-7])?)"
    r"(?: (?P<interface>[\w.-]{1,32})(?: \([^)]{1,40}\))?)?"
)
"""A device in the kernel log, and the interface that its driver made of it."""
_STAMP = r"(?:\bkernel: (?:\[[ \d.]{8,20}\] )?|\[ {0,5}\d{1,8}\.\d{6}\] |:\d\d \d{4}\] )"
"""What stands before a message in dmesg, dmesg -T and the journal: words that others may use, too, need it."""

_OF_A_NODE = ("slurm-node-fail", "slurm-gpu-config", "slurm-node-clock")
"""What a daemon of Slurm says of a node, and not of some job."""

PROGRAM_LINES: tuple[ProgramLines, ...] = (
    ProgramLines(  # node07:4711 NCCL DIAG [INFO] text; it reports on all nodes, so its own name accuses nobody
        "nccl-diag",
        ("NCCL DIAG ",),
        r"NCCL DIAG \[(?P<level>OK|INFO)\] +(?P<text>.*)",
    ),
    ProgramLines(  # [2025-12-19 13:07:07] PEER_DEAD: Process 4711 on node 10.0.0.7 managing GPU 1
        "nccl-diag",
        ("PEER_",),
        r"^(?:\[[\d :-]{19}\] )?(?P<text>PEER_[A-Z_]{3,30}(?:: .*|$))",
    ),
    ProgramLines(  # [1700.1] [gpu01:4711:0] ib_mlx5_log.c:177  UCX  ERROR text
        "ucx",
        ("UCX ",),
        r"(?:\[(?P<host>[\w.-]{1,120}):(?P<pid>\d+) {0,5}(?::\d+)?\] +)?(?:[\w.-]{1,60}:\d+ +)?"
        r"UCX +(?P<level>FATAL|ERROR|WARN|DIAG) +(?P<text>.*)",
        severe=("fatal", "error"),
        unknown="ucx-error",
    ),
    ProgramLines(  # [mpiexec@node07] HYDU_sock_write (lib/utils/sock.c:256): text
        "mpich",
        ("[mpiexec@", "[proxy:"),
        r"\[(?:mpiexec|proxy)[^@\]\s]{0,40}@(?P<host>[^\]\s]{1,80})\] "
        r"(?:(?P<level>HYD|main)\w{0,60} \([^)]{1,200}\): )?(?P<text>.*)",
        severe=("hyd", "main"),
        unknown="hydra-failure",
    ),
    ProgramLines(  # MPIDI_OFI_mpi_init_hook(1234)........: text
        "mpich",
        ("): ", ".: "),
        r"^(?:\[\d{1,7}\] )?(?:\w{3,80}|\(unknown\))\(\d{0,6}\)\.{0,60}: (?P<text>.*)",
    ),
    ProgramLines(  # Memory access fault by GPU node-4 (Agent handle: 0x55) on address 0x7f00. Reason: Unknown.
        "rocm-runtime",
        ("by GPU node-",),
        r"(?P<text>(?:Memory access fault|HW Exception) by GPU node-\d.*)",
    ),
    ProgramLines(  # :0:rocdevice.cpp :2726: 2891637482 us: [pid:3402 tid:0x7fa0] Callback: Queue 0x7f aborting ...
        "rocm-runtime",
        ("Callback: Queue ",),
        r"(?:\[pid:(?P<pid>\d{1,9}) {1,4}tid: ?0x[0-9a-f]{1,16}\] +)?"
        r"Callback: (?P<text>Queue 0x[0-9a-f]{1,16} [Aa]borting .*)",
    ),
    ProgramLines(  # systemd[1]: mill.service: text
        "systemd",
        ("systemd[",),
        r"\bsystemd\[\d{1,9}\]: (?:(?P<unit>[\w@.:\\-]{1,120}\.(?:service|socket|mount|scope|slice|timer|target)): )?"
        r"(?P<text>.*)",
    ),
    ProgramLines(  # [1700.1] [gpu01:4711:0] ucc_lib.c:177  UCC  ERROR text; layers print TL_UCP, CL_HIER, cuda mc
        "ucc",
        ("UCC ", "TL_", "CL_", " mc ", " ec "),
        r"(?:\[(?P<host>[\w.-]{1,120}):(?P<pid>\d+) {0,5}(?::\d+)?\] +)?[\w.-]{1,60}\.(?:cu|cc?|h):\d+ +"
        r"(?:UCC|[CT]L_[A-Z0-9_]{2,20}|(?:cuda|rocm|cpu) [em]c) +(?P<level>FATAL|ERROR|WARN) +(?P<text>.*)",
        severe=("fatal", "error"),
    ),
    ProgramLines(  # Error: coll_hcoll_module.c:310 - mca_coll_hcoll_comm_query() text
        "ucc",
        ("coll_hcoll", "coll_ucc"),
        r"Error: [\w./-]{0,200}coll_(?:hcoll|ucc)\w{0,40}\.[ch]:\d+ - \w{1,80}\(\) (?P<text>.*)",
    ),
    ProgramLines(  # [gpu01:0:4711 - context.c:670][2031-04-05 06:07:08] ERROR text, of the SHARP library
        "sharp-plugins",
        (".c:",),
        r"^\[(?P<host>[\w.-]{1,120}):\d{1,9}:(?P<pid>\d{1,9}) - \w{1,60}\.c:\d{1,6}\]\[\d{4}-\d\d-\d\d [\d:.]{8,18}\] "
        r"(?P<level>ERROR|WARN) +(?P<text>.*)",
        severe=("error",),
        chatty=True,
    ),
    ProgramLines(  # gpu01:4711:4711 [0] src/core/ib.cc:12 MSCCLPP WARN text
        "mscclpp",
        ("MSCCLPP WARN ",),
        r"(?:(?P<host>[\w.-]{1,120}):(?P<pid>\d+):\d+ \[-?\d+\] )?(?:[\w./-]{1,200}:\d+ )?MSCCLPP (?P<level>WARN) "
        r"(?P<text>.*)",
    ),
    ProgramLines(  # 2031:04:05-06:07:08:( 4711) |CCL_ERROR| file.cpp:12 function: text
        "oneccl",
        ("|CCL_",),
        r"\|CCL_(?P<level>ERROR|WARN)\| +(?:[\w./-]{1,200}:\d+ )?(?:[\w:~<>]{1,120}: )?(?P<text>.*)",
        severe=("error",),
    ),
    ProgramLines(  # libfabric:4711:1700000000::cxi:mr:cxip_do_map():61<warn> node7: TXC (0x1:2): text
        "libfabric",
        (":cxi:",),
        r"libfabric:(?P<pid>\d+):(?:\d+:[\w.-]*:)?cxi:\w+:(?P<function>\w+)\(\):\d+<(?P<level>warn|critical)> "
        r"(?P<host>[\w.-]{1,120}): (?:(?:[TR]XC|DOM) \([\w:#]{1,60}\):{0,2} ?)?(?:PtlTE \d{1,6}: ?(?:\[Fatal\] )?)?"
        r"(?:-?\d{1,4}:(?P<error>[^:]{1,60}): )?(?P<text>.*)",
    ),
    ProgramLines(  # libfabric:4711:1700000000::efa:ep_ctrl:efa_base_ep_enable():61<warn> text
        "libfabric",
        ("libfabric:",),
        r"libfabric:(?P<pid>\d+):(?:\d+:[\w.-]*:)?(?P<provider>[\w;.-]{1,60}):\w+:(?P<function>\w+)\(\):\d+"
        r"<(?P<level>warn|critical)> (?P<text>.*)",
    ),
    *NVIDIA_LINES,
    ProgramLines(  # slurmstepd: error: pyxis: text; enroot's own lines stand behind more blanks
        "pyxis",
        ("pyxis: ",),
        r"\b(?:srun|sbatch|slurmstepd|slurmd): (?:(?P<level>error|fatal): )?pyxis: +(?:\[(?P<inner>[A-Z]{4,7})\] )?"
        r"(?P<text>.*)",
        severe=("error", "fatal"),
    ),
    ProgramLines(  # slurmstepd: error: text, srun: error: plugin/name: function: text
        "slurm",
        (": error: ", ": fatal: ", ": warning: "),
        r"\b(?P<program>srun|sbatch|salloc|sattach|sbcast|slurmstepd)"
        r"(?:\[\d{1,9}\])?(?:-(?P<host>[\w.-]{1,120}))?: (?P<level>error|fatal|warning): "
        r"(?:\w{1,60}(?:/\w{1,40})?: ){0,2}(?P<text>.*)",
        severe=("error", "fatal"),
    ),
    ProgramLines(  # slurmd: error: text, slurmctld[812]: error: text
        "slurm",
        (": error: ", ": fatal: ", ": warning: "),
        r"\b(?P<program>slurmd|slurmctld|slurmdbd|slurmscriptd)(?:\[\d{1,9}\])?(?:-(?P<host>[\w.-]{1,120}))?: "
        r"(?P<level>error|fatal|warning): (?:\w{1,60}(?:/\w{1,40})?: ){0,2}(?P<text>.*)",
        service=True,
        keeps=_OF_A_NODE,
        chatty=True,
    ),
    ProgramLines(  # [2031-04-05T06:07:08.123] [4711.0] error: text, in the logs of Slurm's daemons
        "slurm",
        ("error: ", "fatal: ", "warning: "),
        r"^\[\d{4}-\d\d-\d\dT[\d:.]{8,15}\] (?:\[[\w.+]{1,40}\] )?(?P<level>error|fatal|warning): "
        r"(?:\w{1,60}(?:/\w{1,40})?: ){0,2}(?P<text>.*)",
        stamped=True,
        service=True,
        keeps=_OF_A_NODE,
    ),
    # The kernel log. The PCI address and the interface of a driver's line become the finding's suspects.
    ProgramLines(  # mlx5_core 0000:12:00.0 ens1np0: text, infiniband mlx5_3: wait_func:1186:(pid 4711): text
        "mlx5",
        ("mlx",),
        r"\b(?:mlx\d_core " + _PCI + r"|(?:infiniband )?(?P<hca>mlx\d_\d{1,3})(?=:.{0,90}\(pid )): "
        r"(?:\w{1,80}:\d+:\(pid \d+\):? )?(?P<text>.*)",
        also=("drivers",),
    ),
    ProgramLines(  # bnxt_en 0000:12:00.0 ens1f0np0: text, hfi1 0000:12:00.0: hfi1_0: text, infiniband efa_0: text
        "nic-drivers",
        ("bnxt", "ice ", "irdma", "hfi", "efa ", "ena ", "ionic", "cxi", "infiniband "),
        r"\b(?:(?:bnxt_en|bnxt_re|ice|irdma|hfi1|efa|ena|ionic|ionic_rdma|cxi_\w{2,8}|cxi_ss\d) "
        + _PCI
        + r"|(?<=[\]:] )infiniband (?P<hca>[\w.-]{2,40})): (?:hfi1_\d{1,3}: |cxi\d{1,3}(?:\[\w{1,20}\])?: )?"
        r"(?P<text>.*)",
        also=("ib-core", "drivers"),
    ),
    ProgramLines(  # ib0: text of IPoIB, RDMA CMA: text, ib_cm: text
        "ib-core",
        (" ib", "RDMA CMA: ", "rdma_ucm: ", "iw_cm: ", "user_verbs: "),
        _STAMP + r"(?:(?P<interface>ibp?\d[\w.]{0,14}): |(?:ib_\w{2,10}|RDMA CMA|rdma_ucm|iw_cm|user_verbs): )"
        r"(?P<text>.*)",
        also=("drivers",),
    ),
    ProgramLines(  # amdgpu 0000:43:00.0: amdgpu: text, [drm:amdgpu_ib_schedule [amdgpu]] *ERROR* text, kfd kfd: text
        "amdgpu",
        ("amdgpu", "kfd"),
        r"(?:\bamdgpu "
        + _PCI.replace("<pci>", "<gpu>")
        + r": (?:amdgpu: )?(?:\{\d{1,20}\})?|\[drm:\w{2,80} \[amdgpu\]\] (?:\*ERROR\* )?"
        r"|\bkfd kfd: (?:amdgpu: )?|\] amdgpu: )(?P<text>.*)",
        also=("drivers",),
        chatty=True,
    ),
    ProgramLines(  # pcieport 0000:15:01.0: DPC: text, DMAR: text, EDAC MC0: text, mce: text, bond0: text, nfs: text
        "kernel",
        ("pci", "DMAR", "AMD-Vi", "iommu", "EDAC", "mce", "[Hardware Error]", "GHES", "ERST", "EINJ", "BERT", "HEST"),
        r"(?:^|[\s\]])(?:(?:pcieport|pci) "
        + _PCI.replace("<pci>", "<port>")
        + r"|pciehp [\w.:]{4,30}|DMAR(?:-IR)?|AMD-Vi|iommu|arm-smmu-v\d \S{1,40}"
        r"|EDAC(?: \w{2,16}){0,2}|mce|\{\d{1,9}\}\[Hardware Error\]|\[Hardware Error\]|GHES|ERST|EINJ|BERT|HEST|APEI)"
        r": (?P<text>.*)",
        also=("drivers",),
    ),
    ProgramLines(
        "kernel",
        ("bond", "nfs", "NFS", "rpc", "RPC", "watchdog", "rcu", "INFO: ", "Memory failure", "soft offline", "svc:"),
        _STAMP
        + r"(?:bond[\w.-]{1,20}|nfs4?|NFS4?|rpcrdma|RPC|(?:NMI )?watchdog|rcu|INFO|Memory failure|soft offline|svc)"
        r": (?P<text>.*)",
        also=("drivers",),
    ),
    ProgramLines(  # EXT4-fs (sda2): text, XFS (nvme0n1p1): text, I/O error, dev sda, nvme nvme0: text, libceph: text
        "disks",
        (
            *("-fs ", "XFS", "BTRFS", "I/O error", " error, dev ", "md/raid", "md: ", "device-mapper: "),
            *(
                "JBD",
                "Aborting journal",
                "] sd ",
                " sd ",
                "nvme",
                "ceph: ",
                "CIFS: ",
                "lockd: ",
                "writeback error",
            ),
            *("beyond end of device", "\nsd "),
        ),
        r"(?:^|kernel: |[\]\d] )(?P<text>(?:EXT\d-fs |XFS: |XFS \(|BTRFS(?:: | )\w+ \(|Buffer I/O error on dev|JBD2: "
        r"|(?:blk_update_request: )?(?:I/O|critical \w+(?: \w+)?|recoverable transport|protection|timeout"
        r"|device offline|operation not supported|reservation conflict) error, dev |Aborting journal on device"
        r"|device-mapper: \w+: |nvme nvme\d{1,3}: |nvme\d{1,3}[cn]\d{1,3}(?:n\d{1,3})?: \w[\w/ ]{0,40}\(0x"
        r"|sd \d+:\d+:\d+:\d+: |md/raid\S{0,12}:|md: "
        r"|(?:lib)?ceph: |CIFS: |lockd: |[\w.-]{2,32}: (?:writeback error on inode|attempt to access beyond end)).*)",
        also=("drivers",),
    ),
    ProgramLines(  # LustreError: 4711:0:(client.c:12:ptlrpc_x()) text; LNetError: 11-0: scratch-OST0001-osc: text
        "lustre",
        ("Lustre: ", "LustreError: ", "LNet: ", "LNetError: "),
        r"\b(?:Lustre|LNet)(?:Error)?: (?:\d{1,9}:\d{1,9}:\([\w.-]{1,60}:\d+:\w{1,80}\(\)\) |[\da-f]{1,4}-[\da-f]: )?"
        r"(?P<text>.*)",
    ),
    ProgramLines(  # the same with the source file, which tells the part of Lustre where the text does not
        "lustre",
        ("Lustre: ", "LustreError: ", "LNet: ", "LNetError: "),
        r"\b(?:Lustre|LNet)(?:Error)?: (?:\d{1,9}:\d{1,9}:\(|[\da-f]{1,4}-[\da-f]: )?(?P<text>.*)",
        also=("drivers",),
    ),
    ProgramLines(  # /src/host/init/init.cu:12: non-zero status: 7 text; file.cpp:12: NULL value text
        "nvshmem",
        (": non-zero status: ", ": NULL value "),
        r":\d+: (?P<level>non-zero status|NULL value)(?:: -?\d+)?(?:: [^,]{1,80}, exiting\.\.\.)? (?P<text>.*)",
        severe=("non-zero status", "null value"),
    ),
    ProgramLines(  # node07:4711:4720 [3] NVSHMEM WARN text
        "nvshmem",
        ("NVSHMEM ",),
        r"\bNVSHMEM (?P<level>WARN|ERROR|FATAL|ABORT):? (?P<text>.*)",
        severe=("error", "fatal", "abort"),
    ),
    ProgramLines(  # /src/host/mem/mem.cpp:register_heap:12: text
        "nvshmem",
        (".cpp:", ".cu:", ".h:"),
        r"^\S{1,200}\.(?:cpp|cu|h):[a-z_]\w{1,80}:\d+: (?P<text>.*)",
    ),
    ProgramLines(  # Error code: 34 | AMDSMI_STATUS_DRIVER_NOT_LOADED; Driver not loaded (amdgpu not found in modules)
        "amd-smi",
        ("SMI_STATUS_", "AMDSMI has returned", "not found in modules"),
        r"^(?P<text>.{0,200}(?:(?:AMD|R)SMI_STATUS_|AMDSMI has returned|not found in modules).{0,300})",
    ),
    ProgramLines(  # ERROR: GPU[3] : text, of rocm-smi
        "amd-smi",
        ("ERROR: GPU[",),
        r"^\s{0,20}ERROR: GPU\[(?P<gpu>\d{1,4})\](?: XCP\[\d{1,3}\])?\s{0,20}: (?P<text>.*)",
        chatty=True,
    ),
    ProgramLines(  # ibwarn: [4711] mad_rpc_open_port: text, ibpanic: [4711] main: text
        "infiniband-diags",
        ("ibwarn: ", "ibpanic: ", "iberror: "),
        r"\bib(?:warn|panic|error): \[\d{1,9}\] (?:\w{1,60}: )?(?P<text>.*)",
        chatty=True,
    ),
    # Frameworks. The forms are broad, so they stand last: a line has the first form whose vocabulary knows it.
    ProgramLines(  # ERROR 04-05 06:07:08 [core.py:700] ValueError: text, the end of a traceback that vLLM logs
        "vllm",
        ("Error: ", "Exception: "),
        r"^(?P<level>ERROR|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[[\w./]{1,200}:\d+\] "
        r"(?P<error>[A-Za-z_][\w.]{0,80}(?:Error|Exception)): (?P<text>(?P<detail>\S.{0,200}).*)",
        severe=("error", "critical"),
        unknown="rank-exception",
        shape="exception",
        also=EXCEPTIONS,
    ),
    ProgramLines(  # WARNING 04-05 06:07:08 [core.py:700] text
        "vllm",
        ("ERROR ", "WARNING ", "CRITICAL "),
        r"^(?P<level>ERROR|WARNING|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d \[[\w./]{1,200}:\d+\] "
        r"(?!Traceback|[\w.]{1,80}(?:Error|Exception)\b)(?P<text>[^\s^~].*)",
        severe=("error", "critical"),
        also=_NOTICES,
    ),
    ProgramLines(  # [2031-04-05 06:07:08 DP0 TP3] text, of SGLang, which prints no level
        "sglang",
        (" TP", " DP", " PP", " EP", " CP"),
        r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?: [A-Z]{2,4}\d{1,4}){1,6}\] (?P<text>.*)",
        also=_NOTICES,
    ),
    ProgramLines(  # [NeMo W 2031-04-05 06:07:08 exp_manager:773] text
        "nemo",
        ("[NeMo ",),
        r"^\[NeMo (?P<level>[WEC]) \d{4}-\d\d-\d\d \d\d:\d\d:\d\d [\w./-]{1,200}:\d+\] {0,3}"
        r"(?:\S{1,300}\.py:\d+: \w{0,40}Warning: )?(?P<text>.*)",
        severe=("e", "c"),
        also=_NOTICES,
    ),
    ProgramLines(  # [rank3]:[W1119 11:02:03.004 socket.cpp:752] [c10d] text, and [E ProcessGroupNCCL.cpp:563] text
        "pytorch",
        (".cpp:", ".hpp:", ".cu:", ".cc:", ".py:", ".h:"),
        r"(?:^|[\[ ])(?P<level>[WEF])(?:\d{3,8}[ T][\d:.]{8,18})?(?: +\d+)? +(?:[\w./-]{1,200}/)?"
        r"(?P<file>\w{1,80}\.(?:cpp|hpp|cuh?|cc|h|py)):\d+\] {0,3}(?:\[c10d\] )?(?P<text>.*)",
        severe=("e", "f"),
        also=_NOTICES,
    ),
    ProgramLines(  # 2031-04-05 06:07:08.123456: E external/xla/xla/file.cc:12] text; [2031-... : E /x/file.cc:12] text
        "xla",
        (".cc:", ".h:"),
        r"\d{4}-\d\d-\d\d[ T][\d:.]{8,18}: (?P<level>[WEF]) +(?:[\w./-]{1,200}/)?\w{1,80}\.(?:cc|h):\d+\] {0,3}"
        r"(?P<text>.*)",
        severe=("e", "f"),
        also=("horovod",),
    ),
    ProgramLines(  # [2031-04-05 06:07:08,123 E 4711 4711] (raylet) node_manager.cc:12: text
        "ray",
        (".cc:", ".h:"),
        r"\[\d{4}-\d\d-\d\d [\d:,.]{8,15} (?P<level>[WEFC]) (?P<pid>\d+) \d+\] (?:\([\w, .=]{1,80}\) )?"
        r"\w{1,80}\.(?:cc|h):\d+: (?P<text>.*)",
        severe=("e", "f", "c"),
    ),
    ProgramLines(  # RuntimeError: text; errors of NCCL, CUDA and HIP have parsers of their own
        "pytorch",
        ("Error: ",),
        r"^(?!nccl|.{0,80}(?:OutOfMemory|Dist[A-Z]\w+Error|ChildFailedError))"
        r"(?P<error>[A-Za-z_][\w.]{0,80}(?P<level>Error)): "
        r"(?P<text>(?P<detail>(?!.{0,120}(?:NCCL|CUDA|HIP)\b)\S.{0,200}))",
        severe=("error",),
        unknown="rank-exception",
        shape="exception",
        also=EXCEPTIONS,
    ),
    ProgramLines(  # torch.distributed.DistStoreError: text, what():  text
        "pytorch",
        ("Error: ", "Exception: ", "what(): "),
        r"(?:^|[\s:|])(?P<error>[A-Za-z_][\w.]{0,80}(?=Error|Exception)|(?=what))(?P<level>Error|Exception|what\(\)): +"
        r"(?P<text>\S.*)",
        severe=("error", "exception", "what()"),
        unknown="",
        shape="exception",
        also=EXCEPTIONS,
    ),
    ProgramLines(  # /usr/lib/python3/site-packages/torch/nn/file.py:12: UserWarning: text
        "pytorch",
        ("Warning: ",),
        r"\.py:\d+: \w{0,40}(?P<level>Warning): (?P<text>.*)",
        also=_NOTICES,
    ),
    ProgramLines(  # [2031-04-05 06:07:08,123] [ERROR] [launch.py:325:main] text; WARNING:package.module:text
        "pytorch",
        ("ERROR", "WARN", "CRITICAL", "FATAL"),
        r"(?:^|[\s\[(|:])(?P<level>ERROR|CRITICAL|WARNING|WARN|FATAL)\b[\]\s:|,-]{1,12}(?P<text>\S.*)",
        severe=("error", "critical", "fatal"),
        unknown="",
        also=_NOTICES,
    ),
)

UNPREFIXED = (
    *("openmpi", "ssh", "asking-nodes", "kubernetes", "rdma-core", "psm", "perftest", "horovod-stalls", "numactl"),
)
"""Programs that print their messages bare. A line is looked up in their vocabularies when it holds one of ``HINTS``."""

HINTS = (
    *("rror", "ail", "annot", "an't", "nable", "nvalid", "not ", "n't", "imed out", "imeout", "efused", "bort", "arn"),
    *("xceed", "issing", "enied", "nsupported", "llegal", "orrupt", "xception", "xpired", "ismatch", "verrun", "nsuff"),
    *("ncorrect", "hould", "ust ", "atal", "illed", "erminat", "isabled", "lost", "fault", "exhaust", "too "),
    *("ERROR", "WARNING", " NOT ", "equest", "pecified", "gnored", "onflict", "nknown", "nrecogni", "nexpected"),
    *("xited", "Open MPI", "Open RTE", "OpenFabrics", "MCA ", "MPI_", "No ", "bind", "been reached", "hung up"),
    *("closed by", "hostfile", "resources", "ttempt", "llocat", "bigger than", "local slave", "etry count"),
    *("ack-off", "low on ", "stopped posting", "unreachable", "not-ready", "unhealthy", "is down", "Bad ", "bad perm"),
    *("isconnect", "ffending ", "evoked", "Too many", "jumphost", "nconsistent", "rapped", "wraps around", "of range"),
    *("extra arg", "empty arg", "no arg", "nschedulable", "PSM", "ncompatib", "uplicate", "ifferent subnet"),
    *("pkey", "stalled", "device-specific", "VALIDATION", "is supported"),
)
"""Parts of words that nearly every complaint has: what may be one, without reading any vocabulary."""
_HINTS = Literals(HINTS)


def may_complain(text: str) -> bool:
    """Does ``text`` hold a part of a word that complaints have?"""
    return _HINTS.in_(text)
