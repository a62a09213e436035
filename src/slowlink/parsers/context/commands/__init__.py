r"""Commands that people typed or scripts ran, and the settings that they carry.

After a prompt, over several lines::

    [user@head ~]$ mpirun -np 16 -H gpu01:8,gpu02:8 \
        -x NCCL_IB_HCA=mlx5_0,mlx5_1 \
        ./build/all_reduce_perf -b 8 -e 8G -f 2

A shell's trace (``+ mpirun ...``), ``Command: ...`` and a bare line of a script are read, too. A bare line counts only
where it goes on like a command: sentences begin with the names of programs as well. Nothing is ever run or expanded
that needs the machine; a value with ``$(...)`` in it is not known.
"""

from slowlink.parsers.context.commands.reader import Commands

PARSER = Commands

__all__ = ["PARSER"]
