from collections.abc import Sequence

class Sieve:
    def __new__(
        cls,
        parsers: Sequence[tuple[list[bytes] | None, bool, tuple[tuple[str, ...], ...]]],
        stamp: str,
        prefixes: str,
        behind_stamp: str,
    ) -> Sieve: ...
    def sift(self, part: bytes) -> tuple[bytes, bytes]: ...
