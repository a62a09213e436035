"""The reader of pickles gives what ``pickle`` gives for plain values, and runs, imports and builds nothing else."""

from __future__ import annotations

import datetime
import pickle
import struct
import tracemalloc
from collections import OrderedDict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slowlink.parsers.nccl.flight_recorder import pickled
from slowlink.parsers.nccl.flight_recorder.pickled import PickleError, is_pickle, unpickle

SCALARS = (
    st.none() | st.booleans() | st.integers(-(1 << 120), 1 << 120) | st.floats(allow_nan=False) | st.text(max_size=300)
)


def nested(scalars: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(max_size=20), inner),
        max_leaves=40,
    )


VALUES = nested(SCALARS)


@given(VALUES)
@settings(max_examples=60, deadline=None)
def test_plain_values_of_protocol_2_come_back(value: object) -> None:
    """In protocol 2, which PyTorch writes, bytes are a call of a codec: they are not among the values."""
    assert unpickle(pickle.dumps(value, protocol=2)) == value


@given(nested(SCALARS | st.binary(max_size=300)), st.integers(3, 5))
@settings(max_examples=100, deadline=None)
def test_plain_values_come_back(value: object, protocol: int) -> None:
    data = pickle.dumps(value, protocol=protocol)
    assert is_pickle(data)
    assert unpickle(data) == value


def test_numbers_as_keys_become_text_as_in_json() -> None:
    assert unpickle(pickle.dumps({1: "a", 2.5: "b", None: "c", "d": 4})) == {"1": "a", "2.5": "b", "None": "c", "d": 4}


def test_one_value_in_two_places_and_in_itself() -> None:
    shared: list[object] = [1]
    shared.append(shared)
    found = unpickle(pickle.dumps([shared, shared]))
    assert isinstance(found, list)
    assert found[0] is found[1] is found[0][1]


class Dangerous:
    def __reduce__(self) -> tuple[object, ...]:
        return (Path.touch, (Path("was-run"),))


def persistent(protocol: int) -> bytes:
    return b"\x80" + bytes([protocol]) + (b"Pname\n." if protocol == 0 else b"X\1\0\0\0nQ.")


RUNS_CODE = {
    "reduce, protocol 2": pickle.dumps(Dangerous(), protocol=2),
    "stack global, protocol 4": pickle.dumps(Dangerous(), protocol=4),
    "deep inside": pickle.dumps({"entries": [{"x": Dangerous()}]}, protocol=3),
    "global": b"\x80\x02cos\nsystem\n.",
    "inst": b"\x80\x02(S'touch was-run'\nios\nsystem\n.",
    "inst with nothing else": b"\x80\x02(ios\nsystem\n.",
    "obj": b"\x80\x02(cos\nsystem\no.",
    "build": b"\x80\x02}}b.",
    "newobj": b"\x80\x02))\x81.",
    "newobj_ex": b"\x80\x04))}\x92.",
    "reduce without global": b"\x80\x02))R.",
    "ext1": b"\x80\x02\x82\x01.",
    "ext2": b"\x80\x02\x83\x01\x00.",
    "ext4": b"\x80\x02\x84\x01\x00\x00\x00.",
    "persistent id": persistent(0),
    "binary persistent id": persistent(2),
    "a date": pickle.dumps(datetime.date(2025, 1, 2)),
    "an ordered dict": pickle.dumps(OrderedDict(a=1)),
    "a bytearray of protocol 2": pickle.dumps(bytearray(b"x"), protocol=2),
}


@pytest.mark.parametrize("name", RUNS_CODE)
def test_what_would_run_code_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PickleError, match=r"refused: this pickle asks to run code|no plain value has the opcode 0x53"):
        unpickle(RUNS_CODE[name])
    assert list(tmp_path.iterdir()) == []


DAMAGED = {
    "only its start": b"\x80\x02",
    "no value": b"\x80\x02.",
    "two values": b"\x80\x02NN.",
    "an open mark": b"\x80\x02(N.",
    "a mark that is missing": b"\x80\x02]e.",
    "a pop below the stack": b"\x80\x020.",
    "a pop below a mark": b"\x80\x02N(0.",
    "a tuple below a mark": b"\x80\x02N(\x85.",
    "append to a dict": b"\x80\x02}Na.",
    "items of a list": b"\x80\x02]NNs.",
    "an odd number of items": b"\x80\x02}(Nu.",
    "a list as key": b"\x80\x02}]Ns.",
    "a tuple as key": b"\x80\x02})Ns.",
    "memo that is not there": b"\x80\x02h\x07.",
    "memo of nothing": b"\x80\x02q\x00.",
    "unknown opcode": b"\x80\x02\xff.",
    "out-of-band buffer": b"\x80\x05\x97.",
}
TOO_LARGE = {
    "text of 4 GiB": b"\x80\x02X\xff\xff\xff\xff.",
    "text of 2**63": b"\x80\x04\x8d" + struct.pack("<Q", 1 << 63) + b".",
    "bytes of 2**63": b"\x80\x04\x8e" + struct.pack("<Q", 1 << 63) + b".",
    "an integer of 255 bytes": b"\x80\x02\x8a\xff" + b"\x7f" * 255 + b".",
    "an integer of 2**31 bytes": b"\x80\x02\x8b\xff\xff\xff\x7f.",
    "an integer of negative length": b"\x80\x02\x8b\xff\xff\xff\xff.",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_named(name: str) -> None:
    with pytest.raises(PickleError, match="damaged: "):
        unpickle(DAMAGED[name])


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_stated_length_allocates_nothing(name: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(PickleError, match="too large: "):
            unpickle(TOO_LARGE[name])
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_steps_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickled, "MAX_STEPS", 1000)
    with pytest.raises(PickleError, match="too large: more than 1000 steps"):
        unpickle(b"\x80\x02" + b"]" * 5000 + b".")


def test_the_memo_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickled, "MAX_MEMO", 100)
    for fill in (b"".join(b"r" + struct.pack("<I", n) for n in range(200)), b"\x94" * 200):
        with pytest.raises(PickleError, match="too large: more than 100 values in its memo"):
            unpickle(b"\x80\x04]" + fill + b".")


def test_nesting_costs_no_recursion() -> None:
    deep = 200_000
    found = unpickle(b"\x80\x02" + b"]" * deep + b"a" * (deep - 1) + b".")
    for _ in range(deep - 1):
        assert isinstance(found, list)
        (found,) = found
    assert found == []


def test_doubling_by_reference_costs_no_memory() -> None:
    """Forty lists, each with the one before twice: a trillion leaves when written out."""
    steps = b"".join(b"](h" + bytes([n]) + b"h" + bytes([n]) + b"eq" + bytes([n + 1]) for n in range(40))
    tracemalloc.start()
    try:
        unpickle(b"\x80\x02(]q\x00" + steps + b"l.")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def reason(data: bytes) -> str:
    try:
        unpickle(data)
    except PickleError as problem:
        return str(problem)
    return "value"


@given(st.binary(max_size=400))
@settings(max_examples=300, deadline=None)
def test_any_bytes_give_a_value_or_a_reason(data: bytes) -> None:
    for start in (b"\x80\x02", b"\x80\x04", b""):
        assert reason(start + data).startswith(("value", "damaged: ", "refused: ", "too large: "))


@given(VALUES, st.data())
@settings(max_examples=100, deadline=None)
def test_a_cut_pickle_gives_no_value(value: object, data: st.DataObject) -> None:
    whole = pickle.dumps(value, protocol=4)
    end = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(PickleError):
        unpickle(whole[:end])
