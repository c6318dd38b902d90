"""The page of PyPI: README with links that lead out of a checkout. All else is in setup.cfg.

The address of the repository is $SOURCE_URL, which the workflow of a release sets. Where it is not
known, links are plain text, and pictures are left out.
"""

import configparser
import os
import re
from pathlib import Path

ROOT = Path(__file__).parent
# a picture, or the text of a link, and where in the checkout it leads
LINK = re.compile(r"(!?)\[([^]]*)\]\((?!https?:|#)([^)\s]+)\)")


def page_of(text: str, address: str, tag: str) -> str:
    """Markdown of the checkout, with links to the files of a tag of the repository.

    >>> page_of("[a](docs/a.md#b) ![c](c.png)", "https://example.org/x", "v1")
    '[a](https://example.org/x/blob/v1/docs/a.md#b) ![c](https://example.org/x/raw/v1/c.png)'
    >>> page_of("[a](docs/a.md#b) ![c](c.png)", "", "v1")
    'a '
    """

    def replaced(link: re.Match[str]) -> str:
        is_picture, words, target = link.groups()
        if not address:
            return "" if is_picture else words
        return f"{is_picture}[{words}]({address}/{'raw' if is_picture else 'blob'}/{tag}/{target})"

    return LINK.sub(replaced, text)


if __name__ == "__main__":
    from setuptools import setup

    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", "utf-8")
    address = os.environ.get("SOURCE_URL", "").rstrip("/")
    tag = f"v{config['metadata']['version']}"
    addresses = {"Paper": "https://arxiv.org/abs/2504.16360"}
    if address:
        addresses["Source"] = address
        addresses["Changelog"] = f"{address}/blob/{tag}/CHANGELOG.md"
    page = page_of((ROOT / "README.md").read_text("utf-8"), address, tag)
    setup(long_description=page, project_urls=addresses)
