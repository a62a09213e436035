"""The file of all iterations: JSON lines, one a point, written as it happens. Schema: docs/probe.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from time import time
from typing import IO

from slowlink import __version__
from slowlink.errors import SlowlinkError
from slowlink.probe.measure import Measured
from slowlink.probe.options import Options
from slowlink.probe.shapes import REDUCING, ROOTED
from slowlink.probe.table import bandwidths
from slowlink.probe.world import RankSeen

SCHEMA = 1


class IterationsFile:
    """Open on rank 0 only. A killed run leaves whole lines, in a compressed file too."""

    def __init__(self, path: str, run: str) -> None:
        self._run = run
        self._path = path
        try:
            self._raw: IO[bytes] = Path(path).open("wb")  # noqa: SIM115  (open as long as the run)
        except OSError as error:
            raise SlowlinkError(f"cannot write {path}: {error.strerror}", slug="probe-output") from error
        self._compressor = None
        if path.endswith(".gz"):
            import zlib

            self._compressor = zlib.compressobj(6, zlib.DEFLATED, 31)

    def begin(self, options: Options, library: str, ranks: Sequence[RankSeen]) -> None:
        """Who takes part in what."""
        self._write(
            {
                "kind": "run",
                "slowlink": __version__,
                "started_at": round(time(), 3),
                "collective": options.collective,
                "backend": options.backend,
                "library": library,
                "nranks": len(ranks),
                "iterations": options.iterations,
                "warmup": options.warmup,
                "check": options.check,
                "injected": options.delay is not None or options.corruption is not None,
                "ranks": [
                    {
                        "rank": r.rank,
                        "host": r.host,
                        "pid": r.pid,
                        "device": r.device.index,
                        "bus_id": r.device.bus_id,
                        "name": r.device.name,
                    }
                    for r in ranks
                ],
            }
        )

    def add(self, options: Options, nranks: int, point: Measured) -> None:
        """One point with all its iterations."""
        algbw, busbw = bandwidths(options, nranks, point)
        self._write(
            {
                "kind": "point",
                "collective": options.collective,
                "size_bytes": point.shape.size_bytes,
                "count": point.shape.count,
                "datatype": options.datatype,
                "redop": options.redop if options.collective in REDUCING else "none",
                "root": options.root if options.collective in ROOTED else -1,
                "placement": point.placement,
                "time_us": round(point.time_us, 3),
                "timed_apart": point.apart,
                "algbw_gbs": round(algbw, 6),
                "busbw_gbs": round(busbw, 6),
                "wrong": point.wrong,
                "clock_error_us": [round(error, 3) for error in point.clock_error_us],
                "waited_us": [round(value, 1) for value in point.waited_us],
                "began_at": round(point.began_at, 6),
                "start_us": [[round(value, 2) for value in row] for row in point.starts_us],
                "duration_us": [[round(value, 2) for value in row] for row in point.durations_us],
            }
        )

    def end(self, failed_checks: int, busbw_gbs: Sequence[float]) -> None:
        """The run came to its end."""
        average = round(sum(busbw_gbs) / len(busbw_gbs), 6) if busbw_gbs else None
        self._write({"kind": "end", "out_of_bounds": failed_checks, "average_busbw_gbs": average})
        self._put(self._compressor.flush() if self._compressor is not None else b"")
        self._raw.close()

    def _write(self, record: dict[str, object]) -> None:
        line = json.dumps({"slowlink_probe": SCHEMA, "run": self._run, **record}, separators=(",", ":"))
        data = line.encode() + b"\n"
        if self._compressor is not None:
            import zlib

            data = self._compressor.compress(data) + self._compressor.flush(zlib.Z_SYNC_FLUSH)
        self._put(data)

    def _put(self, data: bytes) -> None:
        try:
            self._raw.write(data)
            self._raw.flush()
        except OSError as error:
            raise SlowlinkError(f"cannot write {self._path}: {error.strerror}", slug="probe-output") from error
