"""The readers, their valid files and the mutations of `fuzz/`, for the tests of wrong files."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "fuzz"))

from mutate import mutated, pack, records, unpack
from self_contained import assert_loads_nothing
from targets import TARGETS

__all__ = ["TARGETS", "assert_loads_nothing", "mutated", "pack", "records", "unpack"]
