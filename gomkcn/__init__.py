"""Find motifs in graphs: every public name in one place.

Examples
--------
>>> import gomkcn
>>> gomkcn.get_motif("wheel").num_nodes
6
"""

import sys
from pathlib import Path
from typing import Any

import gomkcn_dgl

# in a checkout mining and synthetic lie beside this folder, and are installed in it
if not Path(__file__).with_name("mining").exists():
    __path__.append(str(Path(__file__).parents[1]))

from gomkcn import mining, synthetic

_PACKAGE_OF = {
    name: package for package in (gomkcn_dgl, mining, synthetic) for name in package.__all__
}

__all__ = sorted(_PACKAGE_OF)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        # few ask, and reading what is installed takes longer than all of the above
        from importlib.metadata import version

        return version("gomkcn-dgl")
    if name not in _PACKAGE_OF:
        # with the module, in which Python looks for a name that is alike
        sentence = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(sentence, name=name, obj=sys.modules[__name__])
    return getattr(_PACKAGE_OF[name], name)


def __dir__() -> list[str]:
    return __all__
