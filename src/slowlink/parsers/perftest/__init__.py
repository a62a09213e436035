"""perftest (ib_write_bw and its siblings): text tables and ``--out_json`` documents."""

from slowlink.parsers.perftest.document import PerftestDocument
from slowlink.parsers.perftest.text import PerftestText

PARSER = PerftestText
DOCUMENT = PerftestDocument

__all__ = ["DOCUMENT", "PARSER"]
