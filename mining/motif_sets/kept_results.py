"""What a search has worked out before, kept as long as there is room for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from hashlib import blake2b
from typing import Any, Generic, Protocol, TypeVar

import numpy as np


class Measured(Protocol):
    """A result that says how large it is."""

    @property
    def num_bytes(self) -> int:
        """Bytes of its arrays."""


Result = TypeVar("Result", bound=Measured)

# bytes of a result beside its arrays, about
_BESIDE = 500
# of a digest, too many for two things to have the same one
_DIGEST_BYTES = 16


class KeptResults(Generic[Result]):
    """Results by what they follow from, in at most so many bytes.

    Those that were not asked for longest are forgotten. Another process gets none of them.

    >>> from gomkcn.mining.motif_sets.graph_count import GraphCount
    >>> kept = KeptResults(1_100)
    >>> counts = [kept.find(bits, lambda: GraphCount(bits, ())) for bits in (1.0, 2.0, 1.0, 3.0)]
    >>> [count.bits for count in counts], counts[2] is counts[0], list(kept.results)
    ([1.0, 2.0, 1.0, 3.0], True, [1.0, 3.0])
    """

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.results: OrderedDict[Hashable, Result] = OrderedDict()
        self._num_bytes = 0

    def find(self, key: Hashable, work_out: Callable[[], Result]) -> Result:
        """The result of a key, worked out where it is not known."""
        if key in self.results:
            self.results.move_to_end(key)
            return self.results[key]
        result = self.results[key] = work_out()
        self._num_bytes += result.num_bytes + _BESIDE
        while self._num_bytes > self.most_bytes and len(self.results) > 1:
            _, oldest = self.results.popitem(last=False)
            self._num_bytes -= oldest.num_bytes + _BESIDE
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return KeptResults, (self.most_bytes,)


def digest_of(array: np.ndarray) -> bytes:
    """A short key of an array, which others of its type and number of columns do not have."""
    content = np.packbits(array) if array.dtype == bool else np.ascontiguousarray(array)
    return blake2b(content.data, digest_size=_DIGEST_BYTES).digest()
