"""What NCCL's RAS answers (``ncclras``, or ``nc localhost 28028``): text since 2.24, JSON since 2.28.7.

Source: ``src/ras/client_support.cc`` of NCCL 2.24.3 to 2.30.
"""

from __future__ import annotations

from slowlink.parsers.nccl.ras.document import RasDocument
from slowlink.parsers.nccl.ras.text import RasText

PARSER = RasText
DOCUMENT = RasDocument
