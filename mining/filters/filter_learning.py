"""How graph filters are learnt: the settings, those of the paper among them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gomkcn_dgl.bounds import LARGEST_COUNT
from gomkcn_dgl.errors import InputTypeError
from gomkcn_dgl.kernel_settings import known_policies
from gomkcn_dgl.settings import SettingsTable, setting

if TYPE_CHECKING:
    from gomkcn_dgl.matching import GOMKKernel
    from gomkcn_dgl.subgraphs import SubgraphSettings
else:
    # who reads the types of the fields needs no more than its fields, and not NumPy
    from gomkcn_dgl.kernel_settings import KernelSettings as GOMKKernel


def _backends() -> tuple[str, ...]:
    """The names of the implementations of the kernel."""
    from gomkcn_dgl.kernels import BACKENDS

    return ("auto", *BACKENDS)


# what differs from the defaults of a kernel: three levels, and half the width
USUAL_KERNEL = {"num_levels": 3, "tau": 0.5}


def _usual_kernel() -> GOMKKernel:
    """The kernel that filters are learnt with."""
    from gomkcn_dgl.matching import GOMKKernel

    return GOMKKernel(**USUAL_KERNEL)  # type: ignore[arg-type]


@dataclass(frozen=True)
class FilterLearning(SettingsTable):
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

    num_epochs: int = setting(
        0, "Number of training epochs by gradients, which need PyTorch", least=0, most=10**6
    )
    policy: str = setting("dense", "Nodes to keep in a truncated subgraph", words=known_policies)
    num_hops: int | None = setting(
        None,
        "Radius of the subgraphs, in hops",
        least=0,
        most=LARGEST_COUNT,
        usual="half the largest size, at least 3",
    )
    init: str = setting(
        "facility_location", "Initialization", words=("facility_location", "random")
    )
    learning_rate: float = setting(0.1, "Learning rate of Adam", above=0, most=1e6)
    relocate: bool = setting(True, "Move filters that represent almost no subgraph")
    feature_contrast: float = setting(
        0.2, "Weight of node features relative to structure", above=0, most=1
    )
    max_subgraphs: int = setting(
        2000, "Subgraphs to learn from; of more, a random sample", least=1, most=LARGEST_COUNT
    )
    kernel: GOMKKernel = field(default_factory=_usual_kernel)
    backend: str = setting("auto", "Implementation of the kernel", words=_backends)

    def __post_init__(self) -> None:
        super().__post_init__()
        from gomkcn_dgl.matching import check_kernel

        check_kernel(self.kernel, None)

    @classmethod
    def paper(cls) -> FilterLearning:
        """What section VI-B of the paper prints; what it does not print is the plainest.

        Printed are 3 hops, 3 steps of aggregation, 500 epochs at a learning rate of .5, and in
        sections III and IV the breadth-first subgraphs, the random start and the greedy matching.

        >>> FilterLearning.paper().num_epochs
        500
        """
        from gomkcn_dgl.matching import GOMKKernel

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
        from gomkcn_dgl.subgraphs import SubgraphSettings, usual_hops

        hops = usual_hops(sizes[-1]) if self.num_hops is None else self.num_hops
        return SubgraphSettings(hops, sizes[-1], self.policy, seed)


def check_learning(learning: FilterLearning | None) -> FilterLearning:
    """Return ``learning``, or the default where it is None; refuse what is none."""
    learning = FilterLearning() if learning is None else learning
    if not isinstance(learning, FilterLearning):
        raise InputTypeError("learning", "must be a gomkcn.FilterLearning", got=repr(learning))
    return learning
