"""What estimators inherit from scikit-learn. It has no types; the stub beside this file does.

Without them a type checker takes an estimator for anything, and accepts every misspelling.
"""

from sklearn.base import BaseEstimator, ClassifierMixin, ClusterMixin, TransformerMixin
from sklearn.utils import Tags

__all__ = ["BaseEstimator", "ClassifierMixin", "ClusterMixin", "Tags", "TransformerMixin"]
