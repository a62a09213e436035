"""One answer of RAS while its lines come in."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from slowlink.model.hang import (
    RasCommunicator,
    RasError,
    RasGroup,
    RasMismatch,
    RasProcess,
    RasShare,
    RasSnapshot,
)
from slowlink.model.source import Ref
from slowlink.parsers.forms.limit import Limit

MAX_LISTED = Limit(50_000, "entries")
"""Groups, communicators and processes of one answer that are kept."""


class Share(Struct):
    """Ranks with one state, whose names follow."""

    ranks: int
    operation: int | None = None
    status: str | None = None
    members: list[RasProcess] = field(default_factory=list)


class Mismatch(Struct):
    """A mismatch whose shares follow."""

    kind: Literal["operations", "status"]
    collective: str | None
    ref: Ref
    shares: list[Share] = field(default_factory=list)


class Fault(Struct):
    """An error whose processes follow."""

    kind: Literal["missing-process", "dead", "missing-rank", "init-error", "async-error"]
    count: int
    ref: Ref
    members: list[RasProcess] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)


class Communicator(Struct):
    """A communicator that has an error or a warning."""

    hash: str
    ref: Ref
    mismatches: list[Mismatch] = field(default_factory=list)
    errors: list[Fault] = field(default_factory=list)


class Builder(Struct):
    """Collects what one answer of RAS says, in order, and makes a ``RasSnapshot`` of it."""

    snapshot: RasSnapshot
    groups: list[RasGroup] = field(default_factory=list)
    outliers: list[str] = field(default_factory=list)
    communicators: dict[str, Communicator] = field(default_factory=dict)
    errors: list[Fault] = field(default_factory=list)
    listed: int = 0

    def communicator(self, name: str, ref: Ref) -> Communicator | None:
        """The communicator of this hash; it may come under the errors and again under the warnings."""
        if name not in self.communicators and MAX_LISTED.has_room(len(self.communicators)):
            self.communicators[name] = Communicator(name, ref)
        return self.communicators.get(name)

    def room(self) -> bool:
        """Book one more named process; False when there are too many."""
        self.listed += 1
        return MAX_LISTED.has_room(self.listed - 1)

    @property
    def bare(self) -> bool:
        """Nothing but versions so far."""
        return not (
            self.groups
            or self.communicators
            or self.errors
            or self.snapshot.nodes is not None
            or self.snapshot.timeouts
        )

    def build(self) -> RasSnapshot:
        return replace(
            self.snapshot,
            outliers=tuple(self.outliers),
            groups=tuple(self.groups),
            communicators=tuple(map(_communicator, self.communicators.values())),
            count=sum(group.comms for group in self.groups) if self.groups else None,
            errors=tuple(map(_error, self.errors)),
            complete=bool(self.groups),
        )


def _communicator(found: Communicator) -> RasCommunicator:
    return RasCommunicator(
        hash=found.hash,
        size=None,
        present=None,
        mismatches=tuple(map(_mismatch, found.mismatches)),
        errors=tuple(map(_error, found.errors)),
        ref=found.ref,
    )


def _mismatch(found: Mismatch) -> RasMismatch:
    """Shares with one value put together: single ranks have a line each."""
    joined: dict[tuple[int | None, str | None], Share] = {}
    for share in found.shares:
        same = joined.setdefault((share.operation, share.status), Share(0, share.operation, share.status))
        same.ranks += share.ranks
        same.members.extend(share.members)
    shares = tuple(RasShare(s.ranks, s.operation, s.status, tuple(s.members)) for s in joined.values())
    return RasMismatch(found.kind, found.collective, shares, found.ref)


def _error(found: Fault) -> RasError:
    codes = tuple(dict.fromkeys(found.codes))
    return RasError(found.kind, found.count, tuple(found.members), found.ref, codes)
