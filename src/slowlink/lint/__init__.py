"""What is wrong with a Kubernetes manifest of a job that uses NCCL, before anything is started.

A check is one module of a family with a ``check`` function, found by being there; it sees one workload and what stands
beside it in the same input, and yields findings. Nothing here measures: no finding is no proof of health.
"""
