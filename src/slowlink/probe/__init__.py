"""The probe: our own rank program. It times every iteration on every rank, which a table of averages cannot show.

Started by any launcher: ``mpirun -n 4 python -m slowlink.probe all_reduce -b 8 -e 64M --output iterations.jsonl``.
Nothing heavy is imported at start-up; a back end (MPI, torch.distributed) is loaded when it is opened.
"""
