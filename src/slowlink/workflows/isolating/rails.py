"""Tests of single rails: one GPU of each node, over one HCA."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from slowlink.errors import SlowlinkError
from slowlink.model.isolation import Rail
from slowlink.patterns import regex
from slowlink.workflows.plan_run import Asked, gpus_here

_HCA = regex(r"[A-Za-z][\w.-]{0,60}(?::\d{1,2})?")
_RAIL = regex(r"gpu(?P<gpu>\d{1,2})(?:-hca(?P<hca>\d{1,2}))?")


def rails_of(asked: Asked) -> int:
    """GPUs of a node. Raises SlowlinkError where nobody says it."""
    rails = asked.ranks_per_node or gpus_here()
    if rails < 2:
        raise SlowlinkError(
            "--parts tests GPUs one by one, and a node here has "
            + ("one" if rails else "none that this machine shows"),
            hint="--ranks-per-node 8 says how many a node has",
            slug="no-gpu",
        )
    return rails


def hcas_of(given: str | None, asked: Asked, rails: int) -> tuple[str, ...]:
    """Names of the HCAs in the order of their GPUs: as given, or as NCCL_IB_HCA names them one by one. Empty where
    nobody says them: NCCL then takes the nearest of each GPU. Raises SlowlinkError."""
    names = tuple(name.strip() for name in given.split(",")) if given else ()
    if not names:
        told = asked.env.get("NCCL_IB_HCA", "")
        names = tuple(told.lstrip("=").split(",")) if told.startswith("=") else ()
        return names if len(names) == rails and all(map(_HCA.fullmatch, names)) else ()
    if len(names) != rails or not all(map(_HCA.fullmatch, names)):
        raise SlowlinkError(
            f"--hcas names {len(names)} HCAs for {rails} GPUs",
            hint="one for each GPU, in their order: --hcas mlx5_0,mlx5_1,...",
            slug="usage",
        )
    return names


def on_rail(asked: Asked, rail: Rail, rails: int, hcas: Sequence[str]) -> Asked:
    """The same test with one rank of each node, on this GPU and over this HCA."""
    env = dict(asked.env)
    if hcas:
        env["NCCL_IB_HCA"] = f"={hcas[rail.gpu if rail.hca is None else rail.hca]}"
    return replace(asked, ranks_per_node=1, nranks=None, env=env, only_gpu=(rail.gpu, rails))


def rail_name(rail: Rail) -> str:
    """For folders of a bundle, which ``rail_named`` reads again: ``gpu3``, ``gpu3-hca5``."""
    return f"gpu{rail.gpu}" if rail.hca is None else f"gpu{rail.gpu}-hca{rail.hca}"


def rail_named(name: str) -> Rail | None:
    """None for any other name."""
    found = _RAIL.fullmatch(name)
    if found is None:
        return None
    return Rail(int(found["gpu"]), int(found["hca"]) if found["hca"] else None)
