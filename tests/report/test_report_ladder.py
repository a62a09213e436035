"""The waterfall as it is shown: at a terminal of 80 columns, in Markdown and on the page."""

from __future__ import annotations

from inline_snapshot import snapshot
from msgspec.structs import replace
from sample_reports import healthy as sound_report

from ladder.machines import climbed, gpu_machine, healthy, plan_of
from slowlink.ladder.told import told_ladder
from slowlink.model.ladder import LadderTest
from slowlink.model.report import Report
from slowlink.report import render
from slowlink.report.json import report_from_json, report_to_dict
from slowlink.rules.evidence.findings import finding, suspects


def sick(test: LadderTest) -> float:
    if "node3" in test.nodes and test.hca == "mlx5_1" and test.gpu is not None:
        return 13.6
    return 31.0 if test.layer in ("two-nodes", "all-nodes") else healthy(test)


def report() -> Report:
    """An HCA that is slow from GPU memory, and a loss above it that is another one's."""
    iommu = finding(
        "iommu-translating", "", severity="warning", confidence="certain", suspects=suspects("node", ["node2"])
    )
    ladder = told_ladder(climbed(plan_of(gpu_machine()), sick), (iommu,), {})
    return replace(sound_report(), ladder=ladder)


def ladder_lines(format_: str, width: int = 80) -> str:
    """From the ladder's headline to the next part."""
    text = render(report(), format_, color=False, width=width)
    start = text.index("the ladder loses")
    return text[start:]


def test_at_a_terminal() -> None:
    text = ladder_lines("terminal")
    assert max(len(line) for line in text.splitlines() if "$ " not in line) <= 80
    assert text.partition("\n\n")[0] == snapshot("""\
the ladder loses bandwidth at: pairs, GPU memory (node3/mlx5_1)
            GB/s                   allowed   usual slowest  lost
  measured  state of the hosts
              4 nodes answered; what is wrong with them stands below
  ok        each port                           50      50     -
              8 ports are up at 400 Gb/s
  ok        pairs, host memory          50      49      49    2%
              98% of ports of 400 Gb/s
  DEGRADED  pairs, GPU memory           49    48.9    13.6   72%  node3/mlx5_1
              straggler-nic at node3/mlx5_1 explains 35.3 GB/s, all that is lost
              here: others give 48.9 GB/s, this one 13.6
              iommu-translating at node2: found; what it costs here is not
              measured
  ok        pairs, far GPU            13.6      30      30     -  4 tests agree
  ok        inside each node                   480     480        4 tests agree
  ok        one rank per node         13.6      47      47     -
              more than pairs, GPU memory: 13.6 GB/s (node[2-3] mlx5_1)
  DEGRADED  all ranks, two nodes      62.5      31      31   50%
              50% of 2 HCAs together: 62.5 GB/s
              iommu-translating at node2: found; what it costs here is not
              measured
              not explained: 31.5 of the 31.5 GB/s lost here, unless the causes
              found cost that much
  ok        all ranks, all nodes        31      31      31     -
              100% of all ranks, two nodes: 31 GB/s (node[1-2])
  interview why two-nodes loses bandwidth: hca-list-incomplete, straggler-nic,
            rail-cross-traffic, gdr-forced-far, gpu-nic-affinity-wrong,
            acs-enabled and 7 more
            this would separate them: GPUDirect RDMA off: worse if
            hca-list-incomplete, straggler-nic, rail-cross-traffic,
            gpu-nic-affinity-wrong, tuning-missing, tuning-harmful and 1 more;
            better if gdr-forced-far, acs-enabled, iommu-translating; ...
             $ slowlink run all_reduce --nodes 'node[1-2]' --env NCCL_ALGO=Ring --env NCCL_NET_GDR_LEVEL=LOC\
""")


def test_in_markdown() -> None:
    text = ladder_lines("markdown")
    assert "| DEGRADED | pairs, GPU memory | 49 | 48.9 | 13.6 | 72% | node3/mlx5\\_1; straggler-nic at" in text


def test_on_the_page() -> None:
    page = render(report(), "html")
    assert "<h2>Layers</h2>" in page
    assert page.count('class="fall"') == 8


def test_json_and_back() -> None:
    made = report()
    assert report_from_json(report_to_dict(made)).ladder == made.ladder
