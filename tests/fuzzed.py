"""What the tests of wrong files share: the readers of `fuzz/`, and what a refusal must be."""

import sys
from functools import cache
from pathlib import Path

from gomkcn_dgl.errors import InputError, InputTypeError

sys.path.append(str(Path(__file__).parents[1] / "fuzz"))

from targets import TARGETS


def read_or_refuse(reader, folder, data):
    """Let a reader have its way; return the sentence of a refusal."""
    try:
        TARGETS[reader].read(folder, data)
    except (InputError, InputTypeError) as error:
        sentence = str(error)
        assert sentence.endswith(".")
        # one line, and nothing in it that steers a terminal
        assert sentence.isprintable()
        assert len(sentence) < 2000
        return sentence
    return None


@cache
def seeds_of(reader):
    """Valid inputs of a reader."""
    return TARGETS[reader].seeds()
