"""PyTorch's flight recorder: what each rank enqueued, started and completed. Pickles (``nccl_trace_rank_3``) and JSON.

One rank's dump as JSON, with one operation that has started and not ended::

    {"rank": 3, "version": "2.5", "nccl_version": "2.21.5",
     "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"}},
     "pg_status": {"0": {"last_enqueued_collective": 9, "last_started_collective": 9, "last_completed_collective": 8}},
     "entries": [{"record_id": 8, "pg_id": 0, "process_group": ["0", "default_pg"], "collective_seq_id": 9,
                  "profiling_name": "nccl:all_reduce", "input_sizes": [[1024]], "state": "started"}]}

Source: ``FlightRecorder`` and ``ProcessGroupNCCL`` of PyTorch 2.2 to 2.9 (dump versions 1.0 to 2.10). A pickle is read
opcode by opcode and never run. Where a dump does not name its rank, the name of its file does.
"""

from __future__ import annotations

from slowlink.parsers.nccl.flight_recorder.document import FlightDocument
from slowlink.parsers.nccl.flight_recorder.dump_file import FlightFile

DOCUMENT = FlightDocument
BINARY = FlightFile
