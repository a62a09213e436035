"""``slowlink expect``: what hardware should give, with the derivation of each number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from slowlink import exits
from slowlink.cli.options import hardware_options, nodes_option
from slowlink.cli.pipes import note
from slowlink.cli.quantities import FiniteRange
from slowlink.cli.shown.sections import ReportCommand

if TYPE_CHECKING:
    from slowlink.expect.busbw import Prediction
    from slowlink.expect.case import Bound, Missing
    from slowlink.model.report import Expectation


@click.command("expect", cls=ReportCommand)
@hardware_options
@nodes_option(default=1)
@click.option("--collective", default="all_reduce", show_default=True, help="all_reduce, all_gather, alltoall ...")
@click.option("--link", metavar="LAYER", help="Link layer of the NICs: ib, roce, efa, slingshot, tcpx.")
@click.option("--mtu", type=click.IntRange(256, 65536), help="Ethernet MTU; 1500 costs RoCE 7 %.")
@click.option("--sharp", is_flag=True, help="Reduction in the network is set up.")
@click.option("--no-gdr", is_flag=True, help="GPUDirect RDMA is not used.")
@click.option("--no-nvls", is_flag=True, help="NVLink SHARP is not used.")
@click.option("--sockets", is_flag=True, help="TCP sockets carry the data.")
@click.option(
    "--nic-measured",
    metavar="GBIT",
    type=FiniteRange(min=0, min_open=True),
    help="What ib_write_bw gives on the slowest NIC, Gb/s: better than its line rate.",
)
@click.option(
    "--nvlink-domain",
    metavar="GPUS",
    type=click.IntRange(2, 576),
    help="GPUs of one rack that NVLink joins and the job uses: 64 of 72.",
)
@click.option("--algorithm", metavar="NAME", help="Forced by NCCL_ALGO: ring, tree, nvls, nvlstree, collnet.")
@click.option("--threshold", type=FiniteRange(min=0, min_open=True), help="busbw in GB/s to judge.")
@click.option("--size", metavar="BYTES", help="Message size that the threshold is for: 128M, 8G.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--list-systems", is_flag=True, help="Print the systems of the catalogue and end.")
def command(
    system: str | None,
    gpu: str | None,
    gpus_per_node: int | None,
    nics: str | None,
    nodes: int,
    collective: str,
    link: str | None,
    mtu: int | None,
    sharp: bool,
    no_gdr: bool,
    no_nvls: bool,
    sockets: bool,
    nic_measured: float | None,
    nvlink_domain: int | None,
    algorithm: str | None,
    threshold: float | None,
    size: str | None,
    format_: str,
    list_systems: bool,
) -> int:
    """Print what busbw this hardware should give, why, and whether a threshold can be reached.

    \b
      slowlink expect --system hgx_h200 --nodes 4
      slowlink expect --system hgx_h100 --nodes 2 --collective all_gather --threshold 350
      slowlink expect --gpu a100-sxm --gpus-per-node 8 --nics 4x100 --link efa --nodes 2

    Exit status: 0, or 1 when the threshold cannot be reached, 2 for unknown names, 3 when too little is known.
    """
    if list_systems:
        return _list_systems(format_)
    from slowlink.catalog.given import given_hardware
    from slowlink.expect.asked import Asked, asked_size, can_be_reached, case_of
    from slowlink.expect.busbw import predict
    from slowlink.expect.case import Missing

    asked = Asked(
        collective=collective,
        nodes=nodes,
        gpus_per_node=gpus_per_node,
        algorithm=algorithm,
        nvls=False if no_nvls else None,
        gdr=False if no_gdr else None,
        sockets=sockets,
        sharp=sharp,
        mtu_bytes=mtu,
        nic_measured_gbit=nic_measured,
        nvlink_domain=nvlink_domain,
    )
    case = case_of(asked, given_hardware(system, gpu, gpus_per_node, nics, link))
    size_bytes = asked_size(size)
    prediction = predict(case)
    if isinstance(prediction, Missing):
        return _say_missing(prediction, format_)
    return _answer(
        prediction, None if threshold is None else can_be_reached(threshold, size_bytes, prediction), format_
    )


def _list_systems(format_: str) -> int:
    from slowlink.catalog.systems import all_systems, describe_nics

    if format_ == "json":
        from msgspec import to_builtins

        from slowlink.report.json import plain_json

        click.echo(plain_json({"systems": [to_builtins(system) for system in all_systems().values()]}), nl=False)
        return exits.HEALTHY
    for system in all_systems().values():
        nics = " + ".join(describe_nics(group) for group in system.nics)
        click.echo(f"{system.id:20} {system.title} ({system.gpus_per_node} GPUs, {nics})")
    return exits.HEALTHY


def _say_missing(missing: Missing, format_: str) -> int:
    if format_ == "json":
        from slowlink.report.json import plain_json

        click.echo(plain_json({"expectations": [], "reachable": None, "missing": list(missing.names)}), nl=False)
    note(f"slowlink: {missing.sentence}")
    return exits.INCONCLUSIVE


def _answer(prediction: Prediction, verdict: tuple[bool, str] | None, format_: str) -> int:
    from slowlink.expect.asked import all_expectations
    from slowlink.expect.latency import half_peak_size

    if format_ == "json":
        _print_json(prediction, all_expectations(prediction), verdict)
    else:
        _print_text(prediction, half_peak_size(prediction), verdict)
    return exits.FINDINGS if verdict is not None and not verdict[0] else exits.HEALTHY


def _print_json(prediction: Prediction, every: tuple[Expectation, ...], verdict: tuple[bool, str] | None) -> None:
    from msgspec import to_builtins

    from slowlink.report.json import plain_json

    case = prediction.case
    shown = {f"busbw:{bound.algorithm}": _standing(bound) for bound in prediction.bounds}
    shown["busbw"] = {**_standing(prediction.chosen), "ceiling": round(prediction.ceiling, 2)}
    document = {
        "collective": case.collective,
        "nranks": case.nranks,
        "nnodes": case.nnodes,
        "expectations": [to_builtins(each) | shown.get(each.quantity, {}) for each in every],
        "notes": list(prediction.caveats),
        "reachable": None if verdict is None else verdict[0],
        "reason": "" if verdict is None else verdict[1],
    }
    click.echo(plain_json(document), nl=False)


def _standing(bound: Bound) -> dict[str, object]:
    """What stands behind a bound: how far measuring may pass it, its class, and the published results of that."""
    found = bound.band.published
    return {
        "ceiling": round(bound.ceiling, 2),
        "class": bound.band.key,
        "published_results": found.rows,
        "published_low": round(bound.typical * found.low, 2) if found.rows else None,
        "published_high": round(bound.typical * found.high, 2) if found.rows else None,
        "versions": bound.band.versions,
    }


def _print_text(prediction: Prediction, half: Expectation, verdict: tuple[bool, str] | None) -> None:
    from rich.console import Console
    from rich.table import Table

    from slowlink.expect.busbw import experience, summary
    from slowlink.expect.latency import about_size, size_for
    from slowlink.units import format_size, tenths

    # Derivations are as wide as they are: a pipe must not cut them.
    out = Console(highlight=False, soft_wrap=False, markup=False)
    case = prediction.case
    nodes = "1 node" if case.nnodes == 1 else f"{case.nnodes} nodes"
    out.print(f"{case.collective}, {case.nranks} ranks on {nodes}; {case.hardware.basis}", soft_wrap=True)
    out.print()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("algorithm", "bound GB/s", "healthy", "warn <", "fail <", "results"):
        table.add_column(name, justify="left" if name == "algorithm" else "right", no_wrap=True)
    for bound in prediction.bounds:
        numbers = (bound.value, bound.typical, bound.warn, bound.fail)
        table.add_row(bound.algorithm, *(tenths(number) for number in numbers), str(bound.band.published.rows))
    out.print(table)
    out.print()
    for bound in prediction.bounds:
        limits = "; ".join(f"{term.name}: {term.formula}" for term in bound.terms)
        note = f"; {bound.note}" if bound.note else ""
        out.print(f"  {bound.algorithm}: least of {limits}{note}; {experience(bound)}", soft_wrap=True)
    out.print()
    out.print(
        f"expect {summary(prediction)}",
        soft_wrap=True,
        style="bold",
    )
    for caveat in prediction.caveats:
        out.print(f"  note: {caveat}", soft_wrap=True)
    out.print(
        f"90 % of it is reached at about {format_size(size_for(0.9, half.value))} "
        f"(half at {about_size(half.value)}, known to a factor of three): judge bandwidth there and above",
        soft_wrap=True,
    )
    if verdict is not None:
        can, why = verdict
        out.print()
        out.print(f"threshold: {'reachable' if can else 'NOT reachable'}: {why}", soft_wrap=True, style="bold")
