"""The page on Ray and Spark: what it shows, run by both where they are installed."""

import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

# both warn of what their own libraries will change
pytestmark = pytest.mark.filterwarnings("ignore")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "howto" / "ray_spark.md"


@pytest.fixture
def page(folder):
    """The names of the page, the code of Ray and that of Spark, and the scores of all nodes."""
    text = PAGE.read_text("utf-8")
    names: dict = {}
    exec(re.search(r"```python\n(.*?)```", text, re.S)[1], names)
    codes = re.findall(r"```\{code-block\} python\n(.*?)```", text, re.S)
    expected = names["score"](names["read_graph"](names["PATH"]), np.arange(500))
    return names, codes, expected


def check(written, expected):
    table = pq.read_table(written).to_pandas().sort_values("id")
    assert table["id"].tolist() == list(range(500))
    np.testing.assert_array_equal(table["score"], expected)


def test_a_score_does_not_depend_on_the_batch(page):
    names, _, expected = page
    rows = np.array([7, 400, 3])
    graph = names["read_graph"](names["PATH"])
    np.testing.assert_array_equal(names["score"](graph, rows), expected[rows])


def test_ray_gives_the_same_scores(page):
    ray = pytest.importorskip("ray", reason="needs ray[data]")
    names, codes, expected = page
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    try:
        exec(codes[0], names)
    finally:
        ray.shutdown()
    check("scores", expected)


def test_spark_gives_the_same_scores(page):
    pytest.importorskip("pyspark", reason="needs pyspark and Java")
    names, codes, expected = page
    exec(codes[1], names)
    names["spark"].stop()
    check("scores.spark", expected)
