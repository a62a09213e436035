"""A rank died or was killed, and the others wait for it.

A process of the job was killed (out of memory, by the node's failure, by somebody), ended with an error, or simply
went away: its peers report "Connection closed by remote peer", which is the echo and not the reason.

Why it matters: every collective needs all ranks. The errors of those that live name the network, and the network is
fine.
How to confirm: look on the node of the lost rank: ``dmesg -T | grep -i -E 'oom|killed process'``, ``sacct -j JOB``,
the rank's own output just before it ends.
What to do: follow the reason of the first death. After an out-of-memory kill give the job more host memory or start
fewer data loader workers.
When it is wrong: an exit code alone may come after all work was done, from a check of the results for instance.
"""

from __future__ import annotations

from slowlink.rules.deaths import OUT_OF_MEMORY

_STATED = {
    **dict.fromkeys(OUT_OF_MEMORY, "out of memory, the kernel killed a process of the job"),
    "slurm-node-fail": "the node failed",
    "slurm-preempted": "the scheduler gave the node to another job",
    "cuda-out-of-memory": "the memory of a GPU is full, and the process that needed more ended",
}
