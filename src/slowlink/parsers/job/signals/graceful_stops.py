"""A framework that stops its own run for a signal, as preemption and the end of a time limit send one ahead::

    [NeMo I 2031-02-03 04:05:06 preemption:87] Received signal 15, initiating graceful stop
    [exiting program after receiving SIGTERM.] datetime: 2031-02-03 04:05:06
    [rank: 0] Received SIGTERM: 15

Some say that they stop, others only that the signal came; these are kinds of their own. What torchrun's agent gets, it
passes on to its workers. Interrupts (SIGINT) are somebody's hand.

Sources: NeMo ``preemption.py`` (1.x and 2.x), Megatron-LM and Megatron-Bridge (``--exit-signal-handler``), PyTorch
Lightning ``signal_connector.py``, ``torch.distributed.elastic`` ``agent/server/api.py``, transformers
``trainer_jit_checkpoint.py``, submitit ``job_environment.py``.
"""

from __future__ import annotations

from slowlink.parsers.forms.message_table import EventPattern

STOPPED, SIGNALLED = "framework-stopped", "framework-signalled"
_SIGNAL = r"(?P<signal>(?!2\b|SIGINT\b)(?:\d{1,2}|SIG[A-Z]{2,6}\d?))"

STOPS = (
    EventPattern(
        STOPPED,
        "initiating graceful stop",
        rf"\bReceived signal {_SIGNAL}, initiating graceful stop",
        ("[NeMo I 2031-02-03 04:05:06 preemption:87] Received signal 15, initiating graceful stop",),
    ),
    EventPattern(
        STOPPED,
        "reemption detected, s",
        r"\b(?P<state>Preemption) detected, (?:signaling trainer to stop|saving checkpoint and exiting)",
        (
            "[NeMo I 2031-02-03 04:05:06 preemption:67] Preemption detected, signaling trainer to stop",
            "Preemption detected, saving checkpoint and exiting",
        ),
    ),
    EventPattern(
        STOPPED,
        "exiting program after receiving SIGTERM",
        r"\bexiting program after receiving (?P<signal>SIGTERM)\b",
        (" [exiting program after receiving SIGTERM.] datetime: 2031-02-03 04:05:06 ",),
    ),
    EventPattern(
        STOPPED,
        "JIT checkpoint",
        r"\b(?P<signal>SIGTERM) received, (?:initiating|will request) JIT checkpoint",
        (
            "SIGTERM received, initiating JIT checkpoint",
            "SIGTERM received, will request JIT checkpoint after 3s",
        ),
    ),
    EventPattern(
        STOPPED,
        "Handling auto-requeue signal",
        rf"\bHandling auto-requeue signal: {_SIGNAL}",
        ("Handling auto-requeue signal: 10",),
    ),
    EventPattern(
        STOPPED,
        ": this job is ",
        rf"\bCaught signal {_SIGNAL} on (?P<host>[\w.-]{{1,120}}): this job is (?P<state>preempted|timed-out)\.",
        ("submitit WARNING (2031-02-03 04:05:06,789) - Caught signal SIGUSR2 on gpu01: this job is preempted.",),
    ),
    EventPattern(
        SIGNALLED,
        "Received SIGTERM: ",
        r"^(?:.{0,80}\s)?(?:\[rank: (?P<rank>\d{1,6})\] )?Received (?P<signal>SIGTERM): 15\s*$",
        ("[rank: 0] Received SIGTERM: 15",),
    ),
    EventPattern(
        SIGNALLED,
        "death signal, shutting down workers",
        rf"\bReceived (?:Signals\.)?{_SIGNAL} death signal, shutting down workers",
        (
            "W0203 04:05:06.789000 4700 torch/distributed/elastic/agent/server/api.py:719] Received Signals.SIGTERM "
            "death signal, shutting down workers",
            "WARNING:torch.distributed.elastic.agent.server.api:Received 15 death signal, shutting down workers",
        ),
    ),
)
