"""Lines that the logs of everyday jobs are full of, as their programs print them: each differs by its numbers alone.

They hold words that formats know (``rank``, ``step``, ``error``), and mostly nobody takes anything of them. Run as
``python bench/everyday.py [MEGABYTES]``: MB of a second of processor time, on one core, for each program, and who
had to look at its lines: a word that a parser wants newly shows there first.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

from slowlink.inputs import Input
from slowlink.parsers.forms.interface import Use
from slowlink.parsers.reading.read import read
from slowlink.parsers.reading.scan import Scanner
from slowlink.parsers.reading.source import Source
from slowlink.workflows.analyze import report_of

Draw = Callable[[float, float], float]


def _clock(n: int) -> str:
    return f"{10 + n // 3600 % 10:02}:{n // 60 % 60:02}:{n % 60:02}"


def megatron(n: int, draw: Draw) -> str:
    return (
        f" [2026-11-29 {_clock(n)}] iteration {n:8}/  500000 | consumed samples: {n * 512:12} | "
        + f"elapsed time per iteration (ms): {draw(5400, 5600):.1f} | throughput per GPU (TFLOP/s/GPU): "
        + f"{draw(390, 400):.1f} | learning rate: 1.2E-04 | global batch size:   512 | lm loss: {draw(2, 3):.6E} | "
        + f"loss scale: 1.0 | grad norm: {draw(0, 1):.3f} |"
    )


def torchtitan(n: int, draw: Draw) -> str:
    return (
        f"[rank{n % 8}]:[titan] 2026-11-29 {_clock(n)},{n % 1000:03} - root - INFO - step: {n // 8:2}  "
        + f"loss: {draw(2, 9):7.4f}  memory: 47.12GiB(59.5%)  tps: {int(draw(7000, 7200)):,}  "
        + f"tflops: {draw(410, 420):.2f}  mfu: {draw(41, 43):.2f}%"
    )


def nemo(n: int, draw: Draw) -> str:
    return (
        f"Training epoch 0, iteration {n}/99999 | lr: {draw(0, 1e-4):.4e} | global_batch_size: 32 | global_step: {n} | "
        f"reduced_train_loss: {draw(1, 3):.4f} | train_step_timing in s: {draw(2.3, 2.4):.3f}"
    )


def vllm(n: int, draw: Draw) -> str:
    return (
        f"INFO 11-29 {_clock(n)} [loggers.py:118] Engine 000: Avg prompt throughput: {draw(8900, 9300):.1f} tokens/s, "
        + f"Avg generation throughput: {draw(4300, 4400):.1f} tokens/s, Running: {int(draw(100, 130))} reqs, Waiting: "
        + f"{int(draw(1, 9))} reqs, GPU KV cache usage: {draw(50, 60):.1f}%, Prefix cache hit rate: "
        + f"{draw(20, 30):.1f}%"
    )


def c10d(n: int, draw: Draw) -> str:
    return (
        f"[rank{n % 8}]:[I1129 {_clock(n)}.{n % 1000000:06}000 ProcessGroupNCCL.cpp:2081] "
        + f"[PG ID 0 PG GUID 0(default_pg) Rank {n % 8}] ProcessGroupNCCL broadcast unique ID through store took "
        + f"{draw(0, 1):.5f} ms"
    )


def access_log(n: int, draw: Draw) -> str:
    return f'INFO:     10.0.{n % 256}.{n % 250}:{int(draw(30000, 60000))} - "POST /v1/chat/completions HTTP/1.1" 200 OK'


def data_loader(n: int, draw: Draw) -> str:
    return (
        f"2026-11-29 {_clock(n)},{n % 1000:03} DEBUG dataloader.worker[{n % 32}] fetched shard {n * 7 % 4096:05d}.tar "
        f"(offset={n * 8191}, bytes={int(draw(1e6, 9e6))}) cache={'hit' if n % 3 else 'miss'}"
    )


def systemd(n: int, _: Draw) -> str:
    return f"Nov 29 {_clock(n)} gpu{n % 64:03} systemd[1]: Started Session {n} of user root."


def json_metrics(n: int, draw: Draw) -> str:
    return (
        f'{{"ts":"2026-11-29T{_clock(n)}.{n % 1000:03}Z","level":"info","logger":"trainer","step":{n},'
        f'"loss":{draw(1, 3):.5f},"tokens_per_second":{draw(9e5, 9.1e5):.1f},"rank":{n % 8}}}'
    )


def deepspeed(n: int, draw: Draw) -> str:
    start = f"[2026-11-29 {_clock(n)},{n % 1000:03}] [INFO] "
    if n % 2:
        return (
            start
            + f"[logging.py:107:log_dist] [Rank 0] step={n}, skipped=0, lr=[{draw(1e-5, 9e-5)!r}], mom=[(0.9, 0.95)]"
        )
    return (
        start
        + f"[timer.py:264:stop] epoch=0/micro_step={n}/global_step={n}, RunningAvgSamplesPerSec={draw(90, 92)!r}, "
        + f"CurrSamplesPerSec={draw(88, 94)!r}, MemAllocated=18.4GB, MaxMemAllocated=61.02GB"
    )


def kubelet(n: int, draw: Draw) -> str:
    return (
        f'I1129 {_clock(n)}.{n % 1000000:06}    {2400 + n % 7} kubelet.go:2453] "SyncLoop (PLEG): event for pod" '
        f'pod="train/worker-{n % 64}" event={{"ID":"{_hexadecimal(draw, 4)}","Type":"ContainerStarted",'
        f'"Data":"{_hexadecimal(draw, 8)}"}}'
    )


def sshd(n: int, draw: Draw) -> str:
    return (
        f"Nov 29 {_clock(n)} gpu{n % 64:03} sshd[{1000 + n % 60000}]: Accepted publickey for root from 10.0.{n % 256}."
        f"{n % 250} port {int(draw(30000, 60000))} ssh2: ED25519 SHA256:{_hexadecimal(draw, 5)}/abcDEFghiJKL"
    )


def sglang(n: int, draw: Draw) -> str:
    return (
        f"[2026-11-29 {_clock(n)} TP0] Decode batch. #running-req: {int(draw(100, 130))}, #token: "
        f"{int(draw(40000, 45000))}, token usage: {draw(0.1, 0.2):.2f}, cuda graph: True, gen throughput (token/s): "
        f"{draw(4300, 4400):.2f}, #queue-req: {int(draw(1, 9))}, "
    )


def dmon(n: int, draw: Draw) -> str:
    if n % 82 < 2:
        return (
            "# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk ",
            "# Idx      W      C      C      %      %      %      %    MHz    MHz ",
        )[n % 82]
    return (
        f"{n % 8:5} {int(draw(600, 700)):6} {int(draw(50, 66)):6} {int(draw(60, 80)):6} {int(draw(80, 101)):6} "
        f"{int(draw(20, 60)):6}      0      0   2619 {int(draw(1700, 1980)):6} "
    )


def _hexadecimal(draw: Draw, words: int) -> str:
    return "".join(f"{int(draw(1 << 28, 1 << 32)):x}" for _ in range(words))


PROGRAMS = (
    *(megatron, torchtitan, nemo, vllm, c10d, access_log, data_loader, systemd, json_metrics),
    *(deepspeed, kubelet, sshd, sglang, dmon),
)


def lines(program: Callable[[int, Draw], str], seed: int = 0) -> Iterator[str]:
    """Without end."""
    draw = random.Random(seed).uniform
    n = 0
    while True:
        yield program(n, draw) + "\n"
        n += 1


def text_of(program: Callable[[int, Draw], str], size: int) -> bytes:
    """So many bytes of it."""
    parts, kept = [], 0
    for line in lines(program):
        parts.append(line.encode())
        kept += len(parts[-1])
        if kept >= size:
            return b"".join(parts)
    raise AssertionError


class Work:
    """Counts what was done with the lines of one text, which is read once more for it."""

    def __init__(self, text: bytes) -> None:
        self.looked_at = 0
        self.fed: Counter[str] = Counter()
        look, feed = Scanner._other, Source._feed

        def counted_look(scanner: Scanner, *about: Any) -> int:
            self.looked_at += 1
            return look(scanner, *about)

        def counted_feed(source: Source, index: int, *about: Any) -> Use:
            self.fed[source._parsers[index].kind] += 1
            return feed(source, index, *about)

        with patch.object(Scanner, "_other", counted_look), patch.object(Source, "_feed", counted_feed):
            read([Input("work.log", None, [text])], workers=1)

    def told(self, count: int) -> str:
        """Shares of so many lines: those that Python looked at, and those that were fed to parsers of a kind."""
        fed = (f"{kind} {100 * some / count:.0f} %" for kind, some in self.fed.most_common(4) if some * 50 > count)
        return ", ".join((f"looked at {100 * self.looked_at / count:.1f} %", *fed))


def main() -> None:
    size = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 4_000_000
    report_of(read([Input("warm.log", None, [text_of(megatron, 10_000)])], workers=1))
    for program in PROGRAMS:
        text = text_of(program, size)
        began = time.process_time()
        report_of(read([Input(f"{program.__name__}.log", None, [text])], workers=1))
        rate = len(text) / 1e6 / (time.process_time() - began)
        print(f"{program.__name__:14}{rate:8.1f} MB/s   {Work(text).told(text.count(10))}", flush=True)


if __name__ == "__main__":
    main()
