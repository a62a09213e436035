"""Steps that the remedies of several rules about hangs share."""

from __future__ import annotations

from slowlink.rules.evidence.commands import command, export
from slowlink.rules.evidence.findings import Step

DUMP_ON_TIMEOUT = Step(
    "Have every rank dump what it called last, and compare.",
    command("TORCH_NCCL_DUMP_ON_TIMEOUT=1", "TORCH_FR_BUFFER_SIZE=20000"),
)
READ_STACK = Step("Read the stack of the rank that the others wait for.", "py-spy dump --pid PID")
SEE_IF_ALIVE = Step("See whether the process of this rank lives; if it does, read its stack.", "py-spy dump --pid PID")
SEE_GPU_FAULTS = Step(
    "See whether the GPU or its driver failed on the node of this rank.", "dmesg -T | grep -i -E 'xid|nvrm|oom'"
)
SEE_WHAT_ENDED_IT = Step("See on its node what ended it.", "dmesg -T | grep -i -E 'oom|killed process|segfault|xid'")
COMPARE_CALLS = Step("Have PyTorch compare the calls of all ranks.", export("TORCH_DISTRIBUTED_DEBUG", "DETAIL"))
