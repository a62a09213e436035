"""What NCCL's Inspector writes (the profiler plug-in that NCCL brings since 2.28; RCCL's is the same): a JSON object in
a line for each call that ended, in a file for each process.

::

    {"header":{"id":"0x7a3c1f","comm_name":"TP","rank":2,"n_ranks":8,"nnodes":1},"metadata":{"dump_timestamp_us":1790000000000000,"hostname":"node07","pid":4100},"coll_perf":{"coll":"AllReduce","coll_sn":17,"coll_msg_size_bytes":1048576,"coll_exec_time_us":61,"coll_timing_source":"kernel_gpu"}}

Source: ``plugins/profiler/inspector/inspector_json.cc`` of NCCL 2.30 (``ext-profiler/inspector`` of 2.28). Files of it
have hundreds of thousands of lines: they are taken as bytes, before anything else looks at them. Lines of it inside
another log (behind a launcher's prefix, in an answer of a collector) are read one by one.
"""

from __future__ import annotations

from slowlink.parsers.nccl.inspector.document import InspectorDocument
from slowlink.parsers.nccl.inspector.lines import InspectorLines

DOCUMENT = InspectorDocument
TAKER = InspectorLines
