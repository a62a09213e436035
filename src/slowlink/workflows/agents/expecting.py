"""The tool ``expect``: what hardware should give, with the derivation of each number."""

from __future__ import annotations

from slowlink.catalog.given import given_hardware
from slowlink.expect.asked import Asked, all_expectations, asked_size, can_be_reached, case_of
from slowlink.expect.busbw import Prediction, predict, summary
from slowlink.expect.case import Missing
from slowlink.model.agents import ExpectAsked, Expectations, Expected
from slowlink.model.report import Expectation
from slowlink.workflows.agents.reports import Readable


def expected(asked: ExpectAsked, _readable: Readable) -> Expectations:
    """Raises SlowlinkError for names that nobody knows, and where no hardware is given."""
    case = case_of(
        _question(asked), given_hardware(asked.system, asked.gpu, asked.gpus_per_node, asked.nics, asked.link)
    )
    size_bytes = asked_size(asked.size)
    prediction = predict(case)
    if isinstance(prediction, Missing):
        return Expectations(known=False, summary=prediction.sentence, missing=tuple(prediction.names))
    return _answer(
        prediction, None if asked.threshold is None else can_be_reached(asked.threshold, size_bytes, prediction)
    )


def _question(asked: ExpectAsked) -> Asked:
    return Asked(
        collective=asked.collective,
        nodes=asked.nodes,
        gpus_per_node=asked.gpus_per_node,
        algorithm=asked.algorithm,
        nvls=False if asked.no_nvls else None,
        gdr=False if asked.no_gdr else None,
        sockets=asked.sockets,
        sharp=asked.sharp,
        mtu_bytes=asked.mtu,
        nic_measured_gbit=asked.nic_measured,
        nvlink_domain=asked.nvlink_domain,
    )


def _answer(prediction: Prediction, verdict: tuple[bool, str] | None) -> Expectations:
    return Expectations(
        known=True,
        summary=f"{prediction.expected.subject}: {summary(prediction)}",
        expectations=tuple(map(_number, all_expectations(prediction))),
        notes=prediction.caveats,
        reachable=None if verdict is None else verdict[0],
        reason="" if verdict is None else verdict[1],
    )


def _number(each: Expectation) -> Expected:
    return Expected(each.quantity, each.subject, each.value, each.low, each.high, each.unit, each.basis)
