from collections.abc import Sequence

Edge = tuple[int, int, str, str, str, tuple[int, int, str, str, str | None, int | None, str]]

class Sieve:
    def __new__(
        cls,
        parsers: Sequence[tuple[list[bytes] | None, bool, tuple[tuple[str, ...], ...]]],
        stamp: str,
        prefixes: str,
        behind_stamp: str,
        journal: tuple[str, str, str, str],
    ) -> Sieve: ...
    def sift(self, part: bytes) -> tuple[bytes, bytes, list[Edge]]: ...

def blind_to_identifiers(shape: bytes) -> bytes: ...
