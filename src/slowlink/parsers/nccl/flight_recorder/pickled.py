"""Plain values from a pickle, without running anything of it.

The opcodes of plain values (None, truth, numbers, text, bytes, lists, tuples, dicts) and of the memo are read, and
nothing else is known here: there is no code that could import a name or call one. Every step is bounded, so that a
hostile file costs no more time and memory than a harmless one of its size.

Source of the opcodes: Python's ``pickletools`` (protocols 2 to 5).
"""

from __future__ import annotations

import struct
from collections.abc import Callable

MAX_BYTES = 64 << 20
"""A dump of 20 000 operations with their stacks has some 20 MB."""
MAX_STEPS = 6_000_000
"""Opcodes of one file; a value has one to three."""
MAX_MEMO = 2_000_000
"""Values of one file that it may refer to again."""
MAX_TEXT = 1 << 20
"""Longest text or bytes."""
MAX_NUMBER_BYTES = 16
"""Longer integers cost more than linear time to print, and mean nothing."""


class PickleError(ValueError):
    """Why the bytes give no value: refused, damaged or too large. The text says which."""


def is_pickle(start: bytes) -> bool:
    """Does a pickle of protocol 2 to 5 begin here?"""
    return len(start) > 2 and start[0] == 0x80 and 2 <= start[1] <= 5


def unpickle(data: bytes) -> object:
    """The value in ``data``: None, bool, int, float, str, bytes, and lists, tuples and dicts of them.

    Keys of dicts are text: numbers as keys become their digits, as in JSON. Values may contain themselves, and one may
    stand in many places: walk them with a limit. Raises PickleError.
    """
    return _Machine(data).run()


class _Machine:
    """A stack, marks in it, and a memo."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._stack: list[object] = []
        self._memo: dict[int, object] = {}
        self._marks: list[int] = []

    def run(self) -> object:
        """Opcode by opcode. The four that make up most of a dump are read here, without a call."""
        data, steps, stack, memo = self._data, _STEPS, self._stack, self._memo
        size, at = len(data) - _LONGEST_SHORT, self._at
        for _ in range(MAX_STEPS):
            opcode = data[at] if at < size else -1
            if opcode == _GET and data[at + 1] in memo:
                stack.append(memo[data[at + 1]])
                at += 2
            elif opcode == _LONG_GET and (key := _U4.unpack_from(data, at + 1)[0]) in memo:
                stack.append(memo[key])
                at += 5
            elif opcode == _BYTE:
                stack.append(data[at + 1])
                at += 2
            elif opcode == _NONE:
                stack.append(None)
                at += 1
            else:
                if at >= len(data):
                    raise PickleError("damaged: the pickle ends early")
                opcode, self._at = data[at], at + 1
                if opcode == _STOP:
                    return self._result()
                step = steps.get(opcode)
                if step is None:
                    raise PickleError(_why(opcode))
                step(self)
                at = self._at
        raise PickleError(f"too large: more than {MAX_STEPS} steps")

    def _result(self) -> object:
        if len(self._stack) != 1 or self._marks:
            raise PickleError("damaged: the pickle ends inside a value")
        return self._stack[0]

    def take(self, count: int) -> bytes:
        """The next ``count`` bytes."""
        end = self._at + count
        if count < 0 or end > len(self._data):
            raise PickleError("damaged: the pickle ends early")
        found = self._data[self._at : end]
        self._at = end
        return found

    def number(self, form: struct.Struct) -> int:
        """The next integer of this form."""
        at = self._at
        self._at = end = at + form.size
        if end > len(self._data):
            raise PickleError("damaged: the pickle ends early")
        (found,) = form.unpack_from(self._data, at)
        return int(found)

    def push(self, value: object) -> None:
        self._stack.append(value)

    def pop(self) -> object:
        """The uppermost value, not below the last mark."""
        if len(self._stack) <= (self._marks[-1] if self._marks else 0):
            raise PickleError("damaged: a value is missing")
        return self._stack.pop()

    def top(self) -> object:
        """The uppermost value, left where it is."""
        if len(self._stack) <= (self._marks[-1] if self._marks else 0):
            raise PickleError("damaged: a value is missing")
        return self._stack[-1]

    def mark(self) -> None:
        self._marks.append(len(self._stack))

    def pop_to_mark(self) -> list[object]:
        """All values above the last mark; the mark is gone."""
        if not self._marks:
            raise PickleError("damaged: a mark is missing")
        at = self._marks.pop()
        found = self._stack[at:]
        del self._stack[at:]
        return found

    def text(self, form: struct.Struct) -> bytes:
        """The bytes that follow their length."""
        length = self.number(form)
        if length > MAX_TEXT:
            raise PickleError(f"too large: a text of {length} bytes")
        return self.take(length)

    def remember(self, key: int) -> None:
        if len(self._memo) >= MAX_MEMO:
            raise PickleError(f"too large: more than {MAX_MEMO} values in its memo")
        self._memo[key] = self.top()

    def remember_next(self) -> None:
        self.remember(len(self._memo))

    def recall(self, key: int) -> None:
        try:
            self.push(self._memo[key])
        except KeyError:
            raise PickleError("damaged: it refers to a value that is not there") from None

    def extend(self, values: list[object]) -> None:
        """Append to the list on top."""
        target = self.top()
        if not isinstance(target, list):
            raise PickleError("damaged: it appends to what is no list")
        target.extend(values)

    def append(self) -> None:
        """Append the uppermost value to the list below it."""
        value = self.pop()
        target = self.top()
        if not isinstance(target, list):
            raise PickleError("damaged: it appends to what is no list")
        target.append(value)

    def fill(self, pairs: list[object]) -> None:
        """Put keys and values into the dict on top."""
        target = self.top()
        if not isinstance(target, dict) or len(pairs) % 2:
            raise PickleError("damaged: it sets items of what is no dict")
        for key, value in zip(pairs[::2], pairs[1::2], strict=True):
            target[_key(key)] = value

    def long(self, length: int) -> None:
        """An integer of so many bytes, little endian."""
        if not 0 <= length <= MAX_NUMBER_BYTES:
            raise PickleError(f"too large: an integer of {length} bytes")
        self.push(int.from_bytes(self.take(length), "little", signed=True))


def _key(key: object) -> str:
    """Text, which hashes with a secret of this process: numbers can be chosen so that all of them collide."""
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, int | float):
        return str(key)
    raise PickleError("damaged: a key is neither text nor number")


def _pair(machine: _Machine, count: int) -> list[object]:
    values = [machine.pop() for _ in range(count)]
    values.reverse()
    return values


def _unicode(machine: _Machine, form: struct.Struct) -> None:
    machine.push(machine.text(form).decode("utf-8", "replace"))


_U1, _U2, _I4, _U4, _U8, _F8 = map(struct.Struct, ("<B", "<H", "<i", "<I", "<Q", ">d"))
_STOP = ord(".")
_GET, _LONG_GET, _BYTE, _NONE = map(ord, "hjKN")
_LONGEST_SHORT = 5
"""Bytes of the longest of these four."""
_Step = Callable[[_Machine], object]
_STEPS: dict[int, _Step] = {
    0x80: lambda m: m.take(1),  # PROTO
    0x95: lambda m: m.take(8),  # FRAME: its length says nothing that the opcodes do not
    ord("("): _Machine.mark,
    ord("0"): _Machine.pop,
    ord("1"): _Machine.pop_to_mark,
    ord("N"): lambda m: m.push(None),
    0x88: lambda m: m.push(True),
    0x89: lambda m: m.push(False),
    ord("J"): lambda m: m.push(m.number(_I4)),
    ord("K"): lambda m: m.push(m.number(_U1)),
    ord("M"): lambda m: m.push(m.number(_U2)),
    0x8A: lambda m: m.long(m.number(_U1)),
    0x8B: lambda m: m.long(m.number(_I4)),
    ord("G"): lambda m: m.push(float(_F8.unpack(m.take(8))[0])),
    0x8C: lambda m: _unicode(m, _U1),
    ord("X"): lambda m: _unicode(m, _U4),
    0x8D: lambda m: _unicode(m, _U8),
    ord("U"): lambda m: _unicode(m, _U1),  # a str of Python 2
    ord("T"): lambda m: _unicode(m, _U4),
    ord("C"): lambda m: m.push(m.text(_U1)),
    ord("B"): lambda m: m.push(m.text(_U4)),
    0x8E: lambda m: m.push(m.text(_U8)),
    ord("]"): lambda m: m.push([]),
    ord("}"): lambda m: m.push({}),
    ord(")"): lambda m: m.push(()),
    ord("a"): _Machine.append,
    ord("e"): lambda m: m.extend(m.pop_to_mark()),
    ord("s"): lambda m: m.fill(_pair(m, 2)),
    ord("u"): lambda m: m.fill(m.pop_to_mark()),
    ord("l"): lambda m: m.push(m.pop_to_mark()),
    ord("t"): lambda m: m.push(tuple(m.pop_to_mark())),
    0x85: lambda m: m.push(tuple(_pair(m, 1))),
    0x86: lambda m: m.push(tuple(_pair(m, 2))),
    0x87: lambda m: m.push(tuple(_pair(m, 3))),
    ord("q"): lambda m: m.remember(m.number(_U1)),
    ord("r"): lambda m: m.remember(m.number(_U4)),
    0x94: _Machine.remember_next,
    ord("h"): lambda m: m.recall(m.number(_U1)),
    ord("j"): lambda m: m.recall(m.number(_U4)),
}
_RUNS_CODE = frozenset(b"cRbioPQ\x81\x82\x83\x84\x92\x93")
"""GLOBAL, REDUCE, BUILD, INST, OBJ, PERSID, BINPERSID, NEWOBJ, EXT1, EXT2, EXT4, NEWOBJ_EX, STACK_GLOBAL."""


def _why(opcode: int) -> str:
    if opcode in _RUNS_CODE:
        return (
            f"refused: this pickle asks to run code (opcode {opcode:#04x}); a flight recorder holds plain values only"
        )
    return f"damaged: no plain value has the opcode {opcode:#04x}"
