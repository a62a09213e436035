"""perftest (ib_write_bw and its siblings): text tables and ``--out_json`` documents.

A run, without most of its header::

     Dual-port       : OFF          Device         : mlx5_7
     Number of qps   : 4            Transport type : IB
     Mtu             : 4096[B]
     Link type       : Ethernet
     #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
     65536      20000            98.03              98.01              0.186932

Source: perftest 4.4 to 25.x. The header names the unit; without ``--report_gbits`` it is 2^20 bytes a second, shown as
MB/sec or MiB/sec, and we keep Gb/s. Server and client often print into one stream: their two sides become one run. JSON
names no unit at all.
"""

from slowlink.parsers.benchmarks.perftest.document import PerftestDocument
from slowlink.parsers.benchmarks.perftest.text import PerftestText

PARSER = PerftestText
DOCUMENT = PerftestDocument

__all__ = ["DOCUMENT", "PARSER"]
