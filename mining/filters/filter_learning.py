"""How graph filters are learnt: the settings, those of the paper among them."""

from __future__ import annotations

from dataclasses import dataclass

from gomkcn_dgl.checks import check_choice, check_float, check_int
from gomkcn_dgl.errors import InputTypeError
from gomkcn_dgl.kernels import POLICIES
from gomkcn_dgl.matching import GOMKKernel, check_kernel
from gomkcn_dgl.subgraphs import MAX_HOPS, SubgraphSettings, usual_hops

DEFAULT_KERNEL = GOMKKernel(3, tau=0.5)
INITIALIZATIONS = ("facility_location", "random")


@dataclass(frozen=True)
class FilterLearning:
    """How graph filters are learnt.

    Attributes
    ----------
    num_epochs : int
        Gradient epochs, for which PyTorch is needed. With 0, filters are real structures whose
        features are means over the subgraphs that have them (see the notes of
        :class:`gomkcn.FilterMiner`).
    policy : {"dense", "bfs"}
        Which nodes of a larger ball remain in a subgraph, see :func:`gomkcn.extract_subgraphs`; the
        paper uses ``"bfs"``, which rarely leaves a whole occurrence.
    num_hops : int or None
        Radius of the subgraphs. None: half of the largest size, but at least 3, so that around some
        root a pattern of any shape is complete.
    init : {"facility_location", "random"}
        How filters are initialised: with real subgraphs that represent the others, or with random
        parameters (the paper).
    learning_rate : float
        Of Adam, in the first epoch; it falls to 0 along a cosine.
    relocate : bool
        Move filters that represent almost no subgraph to the subgraphs that are represented worst.
    feature_contrast : float
        In (0, 1]: how much of the unit interval the scaled features fill. Lower it when features
        differ from node to node at random, so that the structure counts for more.
    max_subgraphs : int
        Most subgraphs to learn from; of more nodes so many are drawn. The share of the subgraphs
        that belong to a filter is then uncertain by 2.2 percentage points at most.
    kernel : GOMKKernel
        How similar a subgraph and a filter are.
    backend : str
        As in :func:`gomkcn.gomk`.

    Raises
    ------
    InputError
        For a number out of range.

    Examples
    --------
    >>> FilterLearning(num_hops=2).policy
    'dense'
    """

    num_epochs: int = 0
    policy: str = "dense"
    num_hops: int | None = None
    init: str = "facility_location"
    learning_rate: float = 0.1
    relocate: bool = True
    feature_contrast: float = 0.2
    max_subgraphs: int = 2000
    kernel: GOMKKernel = DEFAULT_KERNEL
    backend: str = "auto"

    def __post_init__(self) -> None:
        check_int("num_epochs", self.num_epochs, 0)
        check_int("max_subgraphs", self.max_subgraphs, 1)
        check_kernel(self.kernel, None)
        check_float("learning_rate", self.learning_rate, 0, 1e6, open_minimum=True)
        check_choice("policy", self.policy, POLICIES)
        check_choice("init", self.init, INITIALIZATIONS)
        if self.num_hops is not None:
            check_int("num_hops", self.num_hops, 0, MAX_HOPS)
        check_float("feature_contrast", self.feature_contrast, 0, 1, open_minimum=True)

    @classmethod
    def paper(cls) -> FilterLearning:
        """What section VI-B of the paper prints; what it does not print is the plainest.

        Printed are 3 hops, 3 steps of aggregation, 500 epochs at a learning rate of .5, and in
        sections III and IV the breadth-first subgraphs, the random start and the greedy matching.

        >>> FilterLearning.paper().num_epochs
        500
        """
        return cls(
            num_epochs=500,
            policy="bfs",
            num_hops=3,
            init="random",
            learning_rate=0.5,
            relocate=False,
            feature_contrast=1.0,
            kernel=GOMKKernel(3, tau=1.0, matching="greedy"),
        )

    def subgraph_settings(self, sizes: range, seed: int) -> SubgraphSettings:
        """How the subgraphs for the largest filters are taken; others have fewer nodes."""
        hops = usual_hops(sizes[-1]) if self.num_hops is None else self.num_hops
        return SubgraphSettings(hops, sizes[-1], self.policy, seed)


def check_learning(learning: FilterLearning | None) -> FilterLearning:
    """Return ``learning``, or the default where it is None; refuse what is none."""
    learning = FilterLearning() if learning is None else learning
    if not isinstance(learning, FilterLearning):
        raise InputTypeError("learning", "must be a gomkcn.FilterLearning", got=repr(learning))
    return learning
