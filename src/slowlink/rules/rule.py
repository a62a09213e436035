"""What a rule is, and all of them: modules of families with a ``check``, found by being there.

The index says what each needs, so that a rule is imported only when its needs were collected.
"""

from __future__ import annotations

import inspect
import os
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module

from msgspec import Struct
from msgspec.structs import fields, replace

from slowlink import families
from slowlink.model import facts as fact_types
from slowlink.model.expectations import Expectations
from slowlink.model.facts import Of, Readings
from slowlink.model.report import Finding
from slowlink.rules.evidence.findings import Proof

Check = Callable[..., Iterator[Finding | Proof]]
FOLDER = os.path.dirname(__file__)  # noqa: PTH120  (pathlib would cost start-up time)
_PACKAGE = __package__ or ""


class Need(Struct, frozen=True):
    """One parameter of a rule."""

    parameter: str
    type: type
    optional: bool
    attributes: tuple[str, ...] = ()
    """Of ``Readings``: one of these is enough."""


class Rule(Struct, frozen=True):
    """One rule, as its module describes it."""

    id: str
    needs: tuple[Need, ...]
    causes: tuple[str, ...]
    """The causes that its findings may name (``CAUSES``); empty for a rule that only yields proofs."""
    denies: frozenset[str]
    """Causes that make its proofs untrue (``DENIES``, else its own)."""
    home: types.ModuleType | str
    """The module, or its name until it is needed."""

    @property
    def check(self) -> Check:
        """What the rule asks."""
        found: Check = self._module.check
        return found

    @property
    def params(self) -> type | None:
        """Its tolerances, with their defaults."""
        found: type | None = getattr(self._module, "Params", None)
        return found

    @property
    def doc(self) -> str:
        """The module's docstring as it stands in the file."""
        return self._module.__doc__ or ""

    @property
    def page(self) -> str:
        """What it means, how to confirm, what to do, when it is wrong."""
        return inspect.cleandoc(self.doc)

    @property
    def title(self) -> str:
        """First line of the page."""
        return self.page.split("\n", 1)[0].rstrip(".")

    @property
    def _module(self) -> types.ModuleType:
        return import_module(self.home) if isinstance(self.home, str) else self.home


class DeclaredNeed(Struct, frozen=True, omit_defaults=True):
    """A need with its type's name."""

    parameter: str
    type: str
    optional: bool = False
    attributes: tuple[str, ...] = ()


class DeclaredRule(Struct, frozen=True, omit_defaults=True):
    """What is asked of a rule whose needs were not collected."""

    needs: tuple[DeclaredNeed, ...]
    causes: tuple[str, ...] = ()
    denies: tuple[str, ...] = ()


class Declared(Struct, frozen=True, omit_defaults=True):
    """What one module has; nothing where it is no rule."""

    rule: DeclaredRule | None = None


def declared_by(module: types.ModuleType) -> Declared:
    """Asked of the module itself."""
    if not hasattr(module, "check"):
        return Declared()
    rule = described(module)
    needs = (DeclaredNeed(each.parameter, each.type.__name__, each.optional, each.attributes) for each in rule.needs)
    return Declared(DeclaredRule(tuple(needs), rule.causes, tuple(sorted(rule.denies))))


@cache
def discover() -> tuple[Rule, ...]:
    """All rules, by id."""
    rules = []
    for name, known in families.declared(FOLDER, Declared):
        full = f"{_PACKAGE}.{name}"
        if known is None:
            module = import_module(full)
            if hasattr(module, "check"):
                rules.append(described(module))
        elif known.rule is not None:
            rules.append(_recalled(full, known.rule))
    return tuple(sorted(rules, key=lambda rule: rule.id))


def described(module: types.ModuleType) -> Rule:
    """The rule that a module is, from its ``check``, ``CAUSES``, ``Params`` and docstring."""
    params = getattr(module, "Params", None)
    hints = _hints(module.check)
    needs = tuple(_need(name, hint) for name, hint in hints.items() if params is None or hint is not params)
    denies = getattr(module, "DENIES", module.CAUSES)
    return Rule(_id_of(module.__name__), needs, module.CAUSES, frozenset(denies), module)


def _recalled(name: str, rule: DeclaredRule) -> Rule:
    """The rule that a module is, from the index."""
    kinds = _fact_types()
    needs = (Need(each.parameter, kinds[each.type], each.optional, each.attributes) for each in rule.needs)
    return Rule(_id_of(name), tuple(needs), rule.causes, frozenset(rule.denies), name)


def _id_of(module: str) -> str:
    return module.rsplit(".", 1)[-1].replace("_", "-")


def _hints(check: types.FunctionType) -> dict[str, object]:
    """Types of the parameters, in order. What it returns is left out: to evaluate that costs as much for each rule."""
    parameters = {name: hint for name, hint in check.__annotations__.items() if name != "return"}
    only = types.SimpleNamespace(__annotations__=parameters)
    return typing.get_type_hints(only, check.__globals__, include_extras=True)


def _need(name: str, hint: object) -> Need:
    options = typing.get_args(hint)
    if type(None) in options:
        (only,) = (option for option in options if option is not type(None))
        return replace(_need(name, only), optional=True)
    if typing.get_origin(hint) is typing.Annotated:
        kind, of = options
        assert kind is Readings
        assert isinstance(of, Of)
        return Need(name, kind, optional=False, attributes=of.attributes)
    assert isinstance(hint, type)
    return Need(name, hint, optional=False)


def field_of(kind: type) -> str:
    """Name of the field of ``Facts`` that holds facts of this type."""
    return _field_of_type()[kind]


@cache
def _fact_types() -> Mapping[str, type]:
    """By their names: what a rule may need."""
    return {kind.__name__: kind for kind in (*_field_of_type(), Readings, Expectations)}


@cache
def _field_of_type() -> Mapping[type, str]:
    """Fact type -> name of the field of ``Facts`` that holds it."""
    hints = typing.get_type_hints(fact_types.Facts)
    found = {}
    for entry in fields(fact_types.Facts):
        options = typing.get_args(hints[entry.name]) or (hints[entry.name],)
        for option in options:
            if isinstance(option, type) and option is not type(None):
                found[option] = entry.name
    return found
