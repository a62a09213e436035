"""tc: queues that hold packets back, and those that do not."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from text_readings import invented, said, unread

SHAPED = """\
root@node07:~# tc -s qdisc show dev eth0
qdisc tbf 8001: root refcnt 33 rate 12500Kbit burst 5Mb lat 50ms
 Sent 884221334455 bytes 612334455 pkt (dropped 40122, overlimits 99812345 requeues 12)
 backlog 3028Kb 340p requeues 12
root@node07:~# tc -s class show
class htb 1:1 dev eth1 root rate 1Gbit ceil 2Gbit burst 1375b cburst 1375b
 Sent 98812345 bytes 70123 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
 lended: 3211 borrowed: 0 giants: 0
 tokens: 187 ctokens: -187
qdisc netem 8002: dev eth2 root refcnt 2 limit 1000 delay 500us  100us loss 0.5%
"""
PLAIN = """\
# tc -s qdisc
qdisc noqueue 0: dev lo root refcnt 2
 Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
 backlog 0b 0p requeues 0
qdisc mq 0: dev eth0 root
 Sent 884221334455 bytes 612334455 pkt (dropped 0, overlimits 0 requeues 8812)
 backlog 0b 0p requeues 8812
qdisc fq_codel 0: dev eth0 parent :1 limit 10240p flows 1024 quantum 9014 target 5ms interval 100ms memory_limit 32Mb
 Sent 884221334455 bytes 612334455 pkt (dropped 31, overlimits 5 requeues 8812)
 backlog 0b 0p requeues 8812
  maxpacket 65226 drop_overlimit 0 new_flow_count 4122 ecn_mark 0
  new_flows_len 0 old_flows_len 0
"""


def test_limits_delays_and_losses_of_queues() -> None:
    assert said(SHAPED) == snapshot(
        [
            "queue-rate eth0 tbf 8001 = 0.0125",
            "queue-sent eth0 tbf 8001 = 612334455",
            "queue-drops eth0 tbf 8001 = 40122",
            "queue-overlimits eth0 tbf 8001 = 99812345",
            "queue-rate eth1 htb 1:1 = 2.0",
            "queue-sent eth1 htb 1:1 = 70123",
            "queue-drops eth1 htb 1:1 = 0",
            "queue-overlimits eth1 htb 1:1 = 0",
            "queue-delay eth2 netem 8002 = 0.5",
            "queue-loss eth2 netem 8002 = 0.5",
        ]
    )
    assert unread(SHAPED) == []


def test_a_queue_without_a_limit_tells_only_what_it_dropped() -> None:
    assert said(PLAIN) == snapshot(["queue-sent eth0 fq_codel 0 = 612334455", "queue-drops eth0 fq_codel 0 = 31"])
    assert unread(PLAIN) == []


@given(st.integers(1, len(SHAPED.splitlines())), st.integers(0, 90))
@settings(max_examples=50)
def test_text_that_is_cut_invents_nothing(lines: int, letters: int) -> None:
    assert invented(SHAPED, lines, letters) == set()
