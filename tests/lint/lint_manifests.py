"""Manifests for tests of the lint, and what is found in them."""

from __future__ import annotations

from slowlink.model.report import Finding, Report
from slowlink.workflows.lint import lint

BENCH = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: bench
spec:
  parallelism: 2       # two nodes
  completions: 2
  template:
    spec:
      hostNetwork: true
      containers:
      - name: test
        image: registry.example/pytorch:24.04
        command:
        - bash
        - -c
        - |
          /build/all_reduce_perf \\
            -b 8 \\
            -g 8
        env:
        - name: NCCL_IB_HCA
          value: "mlx5_0,mlx5_1"
        - name: MASTER_ADDR
          value: "192.0.2.10"
        resources:
          limits:
            nvidia.com/gpu: "8"
            rdma/shared: "1"
"""
"""In the form of field report 004: two pods, -g 8, and an address that nothing reads."""

RIGHT = """\
apiVersion: v1
kind: Service
metadata: {name: bench}
spec: {clusterIP: None, publishNotReadyAddresses: true, selector: {app: bench}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: bench}
spec:
  completionMode: Indexed
  parallelism: 2
  completions: 2
  backoffLimit: 0
  activeDeadlineSeconds: 1800
  template:
    metadata: {labels: {app: bench}}
    spec:
      subdomain: bench
      restartPolicy: Never
      containers:
      - name: test
        image: registry.example/tests:1
        command: [bash, -c, "mpirun -np 16 --host bench-0.bench:8,bench-1.bench:8 all_reduce_perf -g 1"]
        securityContext: {capabilities: {add: [IPC_LOCK]}}
        resources: {limits: {nvidia.com/gpu: 8, rdma/shared: 1}}
        volumeMounts: [{name: shm, mountPath: /dev/shm}]
      volumes: [{name: shm, emptyDir: {medium: Memory}}]
"""

MPI = """\
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: tests}
spec:
  slotsPerWorker: 8
  runPolicy: {activeDeadlineSeconds: 1800}
  mpiReplicaSpecs:
    Launcher:
      replicas: 1
      template:
        spec:
          containers:
          - {name: l, image: registry.example/tests:1, command: [mpirun, -np, "16", all_reduce_perf, -n, "20"]}
    Worker:
      replicas: 2
      template:
        spec:
          containers:
          - name: w
            image: registry.example/tests:1
            securityContext: {capabilities: {add: [IPC_LOCK]}}
            resources: {limits: {nvidia.com/gpu: 8, rdma/shared: 1}}
            volumeMounts: [{name: shm, mountPath: /dev/shm}]
          volumes: [{name: shm, emptyDir: {medium: Memory}}]
"""


def report(text: str) -> Report:
    return lint([("job.yaml", text)])


def found(text: str) -> list[Finding]:
    made = report(text)
    assert made.verdict in ("degraded", "inconclusive")
    assert [each for each in made.outcomes if each.outcome == "broken"] == []
    return list(made.findings)


def changed(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text
