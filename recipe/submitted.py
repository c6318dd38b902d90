"""Print the recipe as conda-forge takes it: with PyPI's archive, its sum, and who maintains it.

python recipe/submitted.py dist/gomkcn_dgl-0.1.0.tar.gz NAME-ON-GITHUB
"""

import hashlib
import sys
from pathlib import Path

SOURCE = "  path: ../dist/gomkcn_dgl-${{ version }}.tar.gz\n"
ARCHIVE = "https://pypi.org/packages/source/g/gomkcn-dgl/gomkcn_dgl-${{ version }}.tar.gz"


def submitted(recipe: str, archive: bytes, maintainer: str) -> str:
    """The recipe with the archive of a release in the place of the checkout's own."""
    if recipe.count(SOURCE) != 1:
        raise ValueError(f"the recipe must have this line once: {SOURCE.strip()}")
    source = f"  url: {ARCHIVE}\n  sha256: {hashlib.sha256(archive).hexdigest()}\n"
    return f"{recipe.replace(SOURCE, source)}\nextra:\n  recipe-maintainers:\n    - {maintainer}\n"


if __name__ == "__main__":
    path, name = sys.argv[1:]
    recipe = Path(__file__).with_name("recipe.yaml").read_text("utf-8")
    print(submitted(recipe, Path(path).read_bytes(), name), end="")
