"""A real Prometheus scrapes the exporter and a real node_exporter that collects a node's file: every query of the
dashboard returns data, and what was planted raises its alert. Skipped where they are not installed."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prometheus_server import got, node_exporter, program, prometheus, until
from prometheus_situation import kept_history, sick_node
from slowlink.workflows.metrics.textfile import write_textfile

pytestmark = pytest.mark.xdist_group("prometheus")  # one server for all

FILES = Path(__file__).parents[2] / "docs" / "prometheus"
DASHBOARD = json.loads((FILES / "grafana-dashboard.json").read_text(encoding="utf-8"))
TARGETS = [
    pytest.param(target["expr"], id=f"{panel['title']} {target['refId']}")
    for panel in DASHBOARD["panels"]
    for target in panel.get("targets", ())
]
VARIABLES = [each for each in DASHBOARD["templating"]["list"] if each["type"] == "query"]
PLANTED = {
    "SlowlinkRunBroken", "SlowlinkRunDegraded", "SlowlinkRunInconclusive", "SlowlinkNotMeasured",
    "SlowlinkBandwidthBelowExpected", "SlowlinkWorseThanBaseline", "SlowlinkNodeNotOk",
}  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("prometheus_client")
    program("prometheus")
    from slowlink.workflows.metrics.current import CurrentMetrics
    from slowlink.workflows.metrics.server import MetricsServer

    folder = tmp_path_factory.mktemp("prometheus")
    metrics = CurrentMetrics(str(kept_history(folder)), 500, print)
    (folder / "textfiles").mkdir()
    write_textfile(folder / "textfiles" / "slowlink.prom", sick_node())
    with MetricsServer("127.0.0.1", 0, lambda: metrics.families()[0]) as exporter:
        thread = threading.Thread(target=exporter.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            with (
                node_exporter(folder / "textfiles") as nodes,
                prometheus(folder, {"slowlink": exporter.server_port, "node": nodes}, FILES / "alerts.yml") as found,
            ):
                assert until(lambda: len(values(found, "up == 1")) == 2)
                yield found
        finally:
            exporter.shutdown()
            thread.join()


def values(server: str, query: str) -> list[Any]:
    return list(got(f"{server}/query", query=query)["result"])


def for_all(query: str) -> str:
    """As Grafana fills its variables in where all is chosen."""
    names = "|".join(each["name"] for each in VARIABLES)
    filled = re.sub(rf"\$({names})\b", ".*", query)
    assert "$" not in filled
    return filled


@pytest.mark.parametrize("query", TARGETS)
def test_every_query_of_the_dashboard_returns_data(server: str, query: str) -> None:
    assert values(server, for_all(query)) != []


def test_its_variables_have_values(server: str) -> None:
    for each in VARIABLES:
        asked = re.fullmatch(r"label_values\((\w+), (\w+)\)", each["query"]["query"])
        assert asked is not None
        assert got(f"{server}/label/{asked[2]}/values", **{"match[]": asked[1]}) != []
    assert {name for query in TARGETS for name in re.findall(r"\$(\w+)", query.values[0])} == {  # type: ignore[call-overload]
        each["name"] for each in VARIABLES
    }


def test_what_was_planted_raises_its_alert_and_nothing_else_does(server: str) -> None:
    def raised() -> set[str]:
        return {each["labels"]["alertname"] for each in got(f"{server}/alerts")["alerts"]}

    # Rules may be asked before the first scrape: then the exporter itself is missing for a moment.
    until(lambda: raised() == PLANTED)
    assert raised() == PLANTED


def test_a_strangers_name_arrives_as_it_was_told(server: str) -> None:
    (found,) = values(server, 'slowlink_run_verdict{verdict="broken"} == 1')
    assert found["metric"]["nodes"].startswith('gpu"{}\\\\n\\x1b[31m\\u202exxx')
    assert len(found["metric"]["nodes"]) == 128


def test_every_metric_that_is_told_arrived(server: str) -> None:
    arrived = {name for name in got(f"{server}/label/__name__/values") if name.startswith("slowlink_")}
    page = (FILES.parent / "prometheus.md").read_text(encoding="utf-8")
    assert arrived == set(re.findall(r"^\| `(slowlink_\w+)` \|", page, re.MULTILINE))
