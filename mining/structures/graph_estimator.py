"""What estimators of scikit-learn have in common whose samples are graphs."""

from __future__ import annotations

from typing import Any

from gomkcn_dgl._sklearn import BaseEstimator, Tags
from gomkcn_dgl.runtime import html_of


class GraphEstimator(BaseEstimator):
    """An estimator that takes graphs, and shows itself in a notebook as its kind is shown."""

    def __sklearn_tags__(self) -> Tags:
        """Samples are graphs, which scikit-learn has no tag for: no array can be passed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        return tags

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str | None]:
        # scikit-learn's own shows only the parameters
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
