"""PyTorch's flight recorder: what each rank enqueued, started and completed. Pickles (``nccl_trace_rank_3``) and JSON.

Source: ``FlightRecorder`` and ``ProcessGroupNCCL`` of PyTorch 2.2 to 2.9 (dump versions 1.0 to 2.10).
"""

from __future__ import annotations

from slowlink.parsers.nccl.flight_recorder.document import FlightDocument
from slowlink.parsers.nccl.flight_recorder.dump_file import FlightFile

DOCUMENT = FlightDocument
BINARY = FlightFile
