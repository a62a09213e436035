"""perftest (ib_write_bw and its siblings): text tables and ``--out_json`` documents."""

from slowlink.parsers.benchmarks.perftest.document import PerftestDocument
from slowlink.parsers.benchmarks.perftest.text import PerftestText

PARSER = PerftestText
DOCUMENT = PerftestDocument

__all__ = ["DOCUMENT", "PARSER"]
