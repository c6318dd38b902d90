"""What the tests of graph files share."""

import re

import numpy as np
import pytest

from gomkcn_dgl.errors import InputError
from gomkcn_dgl.io.reading import read_graph


def edges(graph):
    return [tuple(edge) for edge in graph.undirected_edges().tolist()]


def assert_same(left, right):
    assert left.feature_names == right.feature_names
    for name in ("indptr", "indices", "features", "weights", "graph_ptr", "node_ids"):
        one, other = getattr(left, name), getattr(right, name)
        assert (one is None) == (other is None), name
        if one is not None:
            assert one.dtype.kind == other.dtype.kind, name
            np.testing.assert_array_equal(one, other, err_msg=name)


def refuse(path, words, **options):
    """Check that a file is refused in one sentence with its name and these words."""
    with pytest.raises(InputError, match=f"^{re.escape(path.name)}: .*{re.escape(words)}") as error:
        read_graph(path, **options)
    assert str(error.value).endswith(".")
