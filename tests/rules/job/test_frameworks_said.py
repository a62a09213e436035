"""What PyTorch, its launcher and the other frameworks of a job say."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot
from text_findings import diagnoses_of, findings_of, said

from slowlink.inputs import Input
from slowlink.model.job import JobEvent
from slowlink.parsers.reading.read import read

CAUSES = (
    "torch.distributed.DistNetworkError: TCP client failed to connect/validate to host 10.0.0.7:29500 - timed out "
    "(try=12, timeout=600000ms)",
    "RuntimeError: use_libuv was requested but PyTorch was built without libuv support, run with USE_LIBUV=0",
    "[rank3]:[W1119 11:02:03.004567890 ProcessGroupGloo.cpp:712] Warning: Unable to resolve hostname to a (local) "
    "address. Using the loopback address as fallback. Manually set the network interface (function operator())",
    "RuntimeError: ProcessGroupNCCL is only supported with GPUs, no GPUs found!",
    "ValueError: device_id cuda:8 is out of range. Please use a device index less than the number of accelerators",
    "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/device.cc:84] Unable to find address for: ib9",
    "RuntimeError: Tensors must be contiguous",
    "ERROR:torch.distributed.elastic.agent.server.api:[trainer] Worker pid=4711 entered uninterruptible sleep "
    "(D-state); will mark UNHEALTHY if it remains for 60.0s.",
)

SYMPTOMS = (
    "[rank5]:[W1119 11:02:03.004567890 TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd=62, addr=[node07]:"
    "40112, remote=[node01]:29500): Failed to recv, got 0 bytes. Connection was likely closed.",
    "torch.distributed.DistStoreError: wait timeout after 600000ms, keys: /default_pg/0//cuda//1",
    "RuntimeError: NCCL communicator was aborted on rank 3.",
    "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.7]:99",
)

NOTICES = (
    "[rank0]:[W1119 11:02:03.004567890 ProcessGroupNCCL.cpp:1496] Warning: WARNING: destroy_process_group() was not "
    "called before program exit, which can leak resources.",
    "[W1119 11:02:03.004567890 socket.cpp:752] [c10d] The IPv6 network addresses of (node07, 29500) cannot be "
    "retrieved (gai error: -2 - Name or service not known).",
    "[rank2]:[W1119 11:02:03.004 ProcessGroupNCCL.cpp:4715] [PG ID 0 PG GUID 0 Rank 2]  using GPU 2 as device used by "
    "this process is currently unknown.",
)


def events(text: str) -> list[JobEvent]:
    return list(read([Input("job.log", None, [text.encode() + b"\n"])], workers=1).events)


def test_causes_that_frameworks_name() -> None:
    found = [said("program-said", text + "\n") for text in CAUSES]
    assert [(cause, severity, message) for ((cause, severity, _, message),) in found] == snapshot(
        [
            (
                "tcp-unreachable",
                "critical",
                "a process cannot connect to the job's store on rank 0's node, or to a peer",
            ),
            (
                "rank-start-failed",
                "critical",
                "this PyTorch is built without libuv, which the job's store was told to use: RuntimeError: use_libuv was requested but PyTorch was built without libuv support, run with USE_LIBUV=0",
            ),
            (
                "socket-interface-wrong",
                "warning",
                "the node's own name does not resolve, so Gloo talks over the loopback address, which no other node reaches",
            ),
            ("gpu-missing", "critical", "PyTorch finds no GPU"),
            ("gpus-over-requested", "critical", "a node has more ranks than visible GPUs"),
            ("socket-interface-wrong", "critical", "Gloo finds no address of its own to listen on"),
            (
                "application-error",
                "error",
                "the program calls a collective, or PyTorch's distributed package, in a way that it does not allow: RuntimeError: Tensors must be contiguous",
            ),
            (
                "gpu-driver-hung",
                "critical",
                "a worker cannot be ended: it sleeps in the kernel (a GPU, an HCA or a file system that does not answer)",
            ),
        ]
    )


def test_what_follows_from_another_failure_names_no_cause_of_its_own() -> None:
    assert [(event.kind, event.rank, event.secondary) for text in SYMPTOMS for event in events(text)] == snapshot(
        [
            ("torch-store-lost", 5, True),
            ("torch-store-wait-timeout", None, False),
            ("torch-aborted", None, True),
            ("gloo-peer-gone", None, True),
        ]
    )
    assert [said("program-said", text + "\n") for text in SYMPTOMS] == [[], [], [], []]


def test_what_sound_runs_print_is_no_finding() -> None:
    assert [findings_of("program-said", text + "\n") for text in NOTICES] == [(), (), ()]
    assert [[event.kind for event in events(text)] for text in NOTICES] == snapshot(
        [[], ["torch-name-unresolved"], ["torch-gpu-guessed"]]
    )


def test_an_exception_of_the_users_own_stays_one() -> None:
    (event,) = events("ValueError: the tokenizer does not support left padding")
    assert (event.kind, event.groups["error"], event.groups["detail"]) == snapshot(
        ("rank-exception", "ValueError", "the tokenizer does not support left padding")
    )


OTHERS = (
    "E1119 11:02:03.004000 140 coordination_service.cc:735] Task /job:jax_worker/replica:0/task:3 heartbeat timeout. "
    "This indicates that the remote task has failed, got preempted, or crashed unexpectedly.",
    "2031-04-05 06:07:08,123 [WARNING] STRAGGLER DETECTION WARNING: Some GPUs performance dropped. Affected ranks: 7",
    "/src/host/transport/transport.cpp:44: non-zero status: 7 neither nv_peer_mem, or nvidia_peermem detected. "
    "Skipping transport.",
    "ERROR 04-05 06:07:08 [core.py:700] ValueError: No available memory for the cache blocks.",
)


def test_causes_that_launchers_and_servers_of_models_name() -> None:
    found = [said("program-said", text + "\n") for text in OTHERS]
    assert [(cause, severity, message) for ((cause, severity, _, message),) in found] == snapshot(
        [
            ("rank-lost", "critical", "a task of the job stopped its heartbeats: it ended, hangs, or its node is gone"),
            (
                "straggler-gpu",
                "error",
                "straggler detection finds ranks whose GPU works more slowly than the others or than before",
            ),
            ("peer-memory-missing", "error", "NVSHMEM cannot use RDMA: no module lets the HCA reach GPU memory"),
            (
                "gpu-out-of-memory",
                "critical",
                "GPU memory does not suffice for the model and its cache, or another process holds it",
            ),
        ]
    )


OWN = (
    "ValueError: batch size must be positive",
    "RuntimeError: the store is not initialized",
    "ValueError: Expected input batch_size (16) to match target batch_size (8).",
    "NotImplementedError: this model does not support gradient checkpointing",
    "KeyError: 'checkpoint'",
)


def test_words_of_a_users_own_exception_are_not_taken_for_a_librarys() -> None:
    assert [[event.kind for event in events(text)] for text in OWN] == [["rank-exception"]] * len(OWN)


REFUSED = (
    "AssertionError: the mill's wheel size (7) is not divisible by tensor parallel size (2)",
    "(Worker_TP3 pid=4711) ValueError: max_num_batched_tokens (7) must be greater than or equal to max_num_seqs (9).",
    "lightning.fabric.utilities.exceptions.MisconfigurationException: You requested gpu: [0, 9] But your machine only "
    "has: [0]",
    "(RayTrainWorker pid=4711, ip=10.0.0.7) RuntimeError: no GPU resources available",
)
"""The ends of tracebacks, behind what frameworks put in front of them."""


def test_an_exception_about_a_setting_is_quoted_with_the_cause() -> None:
    found = [said("program-said", text + "\n") for text in REFUSED]
    assert [(cause, severity, message) for ((cause, severity, _, message),) in found] == snapshot(
        [
            (
                "job-configuration-wrong",
                "critical",
                "the sizes of the job do not fit together: ranks, parallel groups, layers, batches, GPUs: AssertionError: the mill's wheel size (7) is not divisible by tensor parallel size (2)",
            ),
            (
                "job-configuration-wrong",
                "critical",
                "vLLM's configuration cannot work: ValueError: max_num_batched_tokens (7) must be greater than or equal to max_num_seqs (9).",
            ),
            ("gpus-over-requested", "critical", "Lightning is told to use devices that this machine does not have"),
            ("gpu-missing", "critical", "10.0.0.7: DeepSpeed finds no GPU"),
        ]
    )


GOES_ON = (
    "/opt/mill/grind.py:12: UserWarning: wheel size is not divisible by tensor parallel size, falling back to one",
    "WARNING 04-05 06:07:08 [config.py:77] max_num_batched_tokens (7) exceeds what the mill holds.",
    "/opt/mill/grind.py:12: UserWarning: apex is not installed, falling back to the slow wheel",
    "[2031-04-05 06:07:08,123] [WARNING] [engine.py:2105:step] 4 pytorch allocator cache flushes since last step.",
)


@pytest.mark.parametrize(
    "words",
    [
        "RuntimeError: NCCL Error 2: unhandled system error (NCCL version 2.10.3)",
        "RuntimeError: the kernel launch failed with CUDA version 12.1",
        "RuntimeError: Transformer Engine returned NaN in the forward pass",
        "OSError: [Errno 22] Invalid argument",
        "ValueError: the loss is not a valid number at step 12000",
        "RuntimeError: rank 5 did not arrive; its network interface is not configured",
        "RuntimeError: no answer; the environment variable MILL_TRACE shows more",
        "RuntimeError: rank 3 and rank 4 left at the same time",
        "ConnectionError: MASTER_ADDR 10.0.0.7 is unreachable",
        "RuntimeError: a worker was killed by signal 9; num_workers=8",
        "RuntimeError: the loss is nan at learning rate 0.1",
        "RuntimeError: lost the placement group on node07",
    ],
)
def test_words_that_only_name_a_package_or_a_setting_accuse_none(words: str) -> None:
    assert said("program-said", f"{words}\n") == []


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ("RuntimeError: the environment variable MILL_HOST is not set", "job-configuration-wrong"),
        ("ValueError: the wheel cannot be given both stones and corn at the same time", "job-configuration-wrong"),
        ("ValueError: num_workers must be positive", "job-configuration-wrong"),
        ("ImportError: Transformer Engine is not installed", "rank-start-failed"),
        ("RuntimeError: this wheel was not compiled with CUDA support", "rank-start-failed"),
    ],
)
def test_words_that_say_what_is_wrong_with_them_do(words: str, cause: str) -> None:
    assert [found[0] for found in said("program-said", f"{words}\n")] == [cause]


def test_a_setting_that_a_program_only_warns_of_is_no_finding() -> None:
    assert [findings_of("program-said", text + "\n") for text in GOES_ON] == [(), (), (), ()]


TRACEBACK = """\
{0}Traceback (most recent call last):
{0}  File "/opt/mill/grind.py", line 7, in <module>
{0}    main()
{0}{1}
"""
PREFIXES = (
    "",
    "[rank3]: ",
    "3: ",
    "(RayTrainWorker pid=4711, ip=10.0.0.7) ",
    "(Worker_TP3 pid=4711) ERROR 04-05 06:07:08 [multiproc_executor.py:77] ",
)


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("words", ["ValueError: no corn in the mill", "ray.exceptions.ActorDiedError: The actor died"])
def test_the_exception_at_the_end_of_a_traceback_is_the_first_error(prefix: str, words: str) -> None:
    found = said("first-error", TRACEBACK.format(prefix, words) * 2)
    assert [(cause, severity, words in message) for cause, severity, _, message in found] == [
        ("application-error", "critical", True)
    ]


def test_an_exception_with_a_name_of_its_own_is_one_behind_a_traceback_only() -> None:
    (event,) = events(TRACEBACK.format("", "mill.core.WheelJammed: a stone in the corn"))
    assert (event.kind, event.groups["form"], event.groups["text"]) == snapshot(
        ("error-line", "exception", "mill.core.WheelJammed: a stone in the corn")
    )
    assert events("settings:\n    wheel: 7\nMill: a stone in the corn") == []


def test_a_detection_that_ended_the_training_explains_the_end() -> None:
    stopped = "[NeMo E 2031-04-05 06:07:08 straggler_det_callback:239] Detected stragglers. Terminating training...\n"
    failed = "E0405 06:07:09.918000 4711 torch/distributed/elastic/multiprocessing/api.py:862] failed (exitcode: 1) "
    failed += "local_rank: 0 (pid: 4722) of binary: /usr/bin/python\n"
    for lead in ("", "mill/0 "):
        tagged = f"{lead}[default0]:{stopped}{lead}{failed}"
        assert [(d.cause, d.severity) for d in diagnoses_of(tagged)] == [("straggler-gpu", "critical")]
