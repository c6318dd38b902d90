"""What an estimator of scikit-learn has whose samples are graphs, without importing scikit-learn.

Its import takes a second, which a command does without. What pipelines, grid searches and ``clone``
ask for is here; scikit-learn is imported by what is called by it alone.
"""

from __future__ import annotations

import functools
import inspect
import sys
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from gomkcn_dgl.checks import check_choice, is_drawn
from gomkcn_dgl.runtime import html_of

if TYPE_CHECKING:
    from sklearn.utils import Tags

E = TypeVar("E", bound="GraphEstimator")

# what rows may be in, as scikit-learn names it
_CONTAINERS = ("default", "pandas", "polars")


class GraphEstimator:
    """A transformer that takes graphs, and shows itself in a notebook as its kind is shown.

    The parameters of ``__init__`` are attributes of the same names; what a fit leaves behind has
    names that end in an underscore.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Let rows be in a data frame where :meth:`set_output` or scikit-learn says so."""
        super().__init_subclass__(**options)
        transform = vars(cls).get("transform")
        if transform is not None:

            @functools.wraps(transform)
            def transform_into_container(self: GraphEstimator, graph: Any) -> Any:
                return self._in_container(transform(self, graph))

            cls.transform = transform_into_container  # type: ignore[attr-defined]

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """The parameters with their defaults."""
        parameters = inspect.signature(cls).parameters
        return {name: parameter.default for name, parameter in parameters.items()}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with ``deep``, those of an estimator among them as NAME__PART."""
        params = {name: getattr(self, name) for name in self._defaults()}
        if deep:
            for name, value in list(params.items()):
                if isinstance(value, GraphEstimator):
                    nested = value.get_params().items()
                    params |= {f"{name}__{part}": given for part, given in nested}
        return params

    def set_params(self: E, **params: Any) -> E:
        """Set parameters; NAME__PART is a parameter of the estimator that one of them is."""
        known = self._defaults()
        of_parts: dict[str, dict[str, Any]] = {}
        for path, value in params.items():
            name, _, part = path.partition("__")
            check_choice(f"a parameter of {type(self).__name__}", name, known)
            if part:
                of_parts.setdefault(name, {})[part] = value
            else:
                setattr(self, name, value)
        for name, parts in of_parts.items():
            getattr(self, name).set_params(**parts)
        return self

    def fit_transform(self, graphs: Any, y: Any = None, **options: Any) -> np.ndarray:
        """Fit to graphs, and return their rows."""
        rows: np.ndarray = self.fit(graphs, y, **options).transform(graphs)  # type: ignore[attr-defined]
        return rows

    def set_output(
        self: E, *, transform: Literal["default", "pandas", "polars"] | None = None
    ) -> E:
        """Say what rows are in: an array, or a data frame; None leaves it as it is."""
        if transform is not None:
            # by the name under which clone and pipelines of scikit-learn find it
            self._sklearn_output_config = {"transform": check_choice(
                "transform", transform, _CONTAINERS
            )}  # fmt: skip
        return self

    def _in_container(self, rows: np.ndarray) -> Any:
        """The rows as they are, or in a data frame whose columns have their names."""
        container = getattr(self, "_sklearn_output_config", {}).get("transform")
        # who has not imported scikit-learn has set nothing there
        if container is None and (sklearn := sys.modules.get("sklearn")):
            container = sklearn.get_config()["transform_output"]
        if container not in ("pandas", "polars"):
            return rows
        names = self.get_feature_names_out()  # type: ignore[attr-defined]
        if container == "pandas":
            import pandas as pd

            return pd.DataFrame(rows, columns=names)
        import polars as pl

        return pl.DataFrame(rows, schema=[str(name) for name in names])

    @property
    def _seed_of_settings(self) -> Any:
        """The seed of the fit; before it, ``random_state`` where that is no source of others."""
        seed = vars(self).get("random_state_", self.random_state)  # type: ignore[attr-defined]
        return 0 if is_drawn(seed) else seed

    def _check_fitted(self) -> None:
        """Refuse an estimator that is not fitted, as scikit-learn does."""
        if any(name.endswith("_") and not name.startswith("_") for name in vars(self)):
            return
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(f"this {type(self).__name__} is not fitted; call fit first.")

    def __sklearn_tags__(self) -> Tags:
        """Samples are graphs, which scikit-learn has no tag for: no array can be passed."""
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(two_d_array=False),
            no_validation=True,
        )

    def __repr__(self) -> str:
        """The parameters that are not the defaults."""
        changed = [
            f"{name}={value!r}"
            for name, default in self._defaults().items()
            if repr(value := getattr(self, name)) != repr(default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str | None]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
